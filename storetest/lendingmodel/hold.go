package lendingmodel

import (
	"time"

	"example.org/library"
)

func (m *model) placeHold(p member, book, newHold string) string {
	if !p.user {
		return "role_missing"
	}
	return m.placeHoldFor(p.User.ID, book, newHold)
}

// placeHoldAtDesk reserves for somebody. Readers may name themselves.
func (m *model) placeHoldAtDesk(p member, who, book, newHold string) string {
	if own := who == p.User.ID; !p.curator && !(own && p.user) {
		return "role_missing"
	}
	return m.placeHoldFor(who, book, newHold)
}

func (m *model) placeHoldFor(who, book, newHold string) string {
	return m.onBookFor(who, book, func() string {
		switch {
		case m.openLoan(book, who) != nil:
			return "has_it"
		case m.activeHold(book, who) != nil:
			return "already_held"
		case !m.isForThem(who, book):
			return "not_for_you"
		case !m.isReservable(who, book):
			return "not_reservable"
		case m.lendable(book) == 0:
			return "not_lendable"
		case m.free(book) != nil:
			return "available"
		case m.isOverHolds(who, book):
			return "hold_limit"
		}
		m.holds = append(m.holds, hold{
			id: newHold, book: book, title: m.book(book).title, who: who, state: library.Waiting, created: m.now,
		})
		return ""
	})
}

func (m *model) fetch(p member, id string, fetched bool) string {
	if !p.curator {
		return "role_missing"
	}
	h := m.hold(id)
	if !h.active() {
		return "not_ready"
	}
	return m.onBook(h.book, func() string {
		h := m.hold(id)
		switch {
		case h.state != library.Ready:
			return "not_ready"
		case !fetched:
			h.fetched = time.Time{}
		case h.fetched.IsZero():
			h.fetched = m.now
		}
		return ""
	})
}

func (m *model) cancel(p member, id string) string {
	h := m.hold(id)
	if refusal := m.mayTouch(p, h.who, "hold_not_found"); refusal != "" {
		return refusal
	}
	if !h.active() {
		return "not_active"
	}
	return m.onBook(h.book, func() string {
		if !m.hold(id).active() {
			return "not_active" // it has expired
		}
		m.end(m.hold(id), library.Cancelled)
		return ""
	})
}
