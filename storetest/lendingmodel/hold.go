package lendingmodel

import (
	"time"

	"example.org/library"
)

func (r *regulations) placeHold(p member, book, newHold string) string {
	if !p.user {
		return "role_missing"
	}
	return r.onBook(book, func() string {
		switch {
		case r.openLoan(book, p.User.ID) != nil:
			return "has_it"
		case r.activeHold(book, p.User.ID) != nil:
			return "already_held"
		case r.lendable(book) == 0:
			return "not_lendable"
		case r.free(book) != nil:
			return "available"
		case r.policy.MaxHolds > 0 && r.activeHolds(p.User.ID) >= r.policy.MaxHolds:
			return "hold_limit"
		}
		r.holds = append(r.holds, place{
			id: newHold, book: book, title: r.book(book).title, who: p.User.ID, state: library.Waiting, created: r.now,
		})
		return ""
	})
}

func (r *regulations) fetch(p member, id string, fetched bool) string {
	if !p.curator {
		return "role_missing"
	}
	h := r.hold(id)
	if !h.active() {
		return "not_ready"
	}
	return r.onBook(h.book, func() string {
		h := r.hold(id)
		switch {
		case h.state != library.Ready:
			return "not_ready"
		case !fetched:
			h.fetched = time.Time{}
		case h.fetched.IsZero():
			h.fetched = r.now
		}
		return ""
	})
}

func (r *regulations) cancel(p member, id string) string {
	h := r.hold(id)
	if refusal := r.mayTouch(p, h.who, "hold_not_found"); refusal != "" {
		return refusal
	}
	if !h.active() {
		return "not_active"
	}
	return r.onBook(h.book, func() string {
		if !r.hold(id).active() {
			return "not_active" // it has expired
		}
		r.end(r.hold(id), library.Cancelled)
		return ""
	})
}
