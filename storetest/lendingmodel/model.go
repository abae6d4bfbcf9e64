// Package lendingmodel compares a store with a second, simple implementation of lending.
//
// Start reading at model.go: the model is written from the regulations and shares no
// rule with package library. steps.go is what can be done, run.go does random sequences
// of it, compare*.go compares what every person can see afterwards.
package lendingmodel

import (
	"time"

	"example.org/library"
)

// regulations is a library as its regulations describe it: lists of people,
// books, copies, loans and holds, in the order in which they came. Whatever
// somebody wants to know is found by looking through a whole list. It is written
// from the regulations and shares no rule with package library, so that the two
// can be compared.
//
// What is due by itself (a hold that was not fetched, a copy that is free while
// somebody waits) is done whenever something else is done with the book, and by
// keepHouse. A refusal changes nothing.
type regulations struct {
	now    time.Time
	policy library.Policy
	people []member
	books  []title
	state
	edited bool // a copy, perhaps without a difference
	events []told
}

type member struct {
	library.Actor
	user, curator, admin bool
	gone                 bool
}

type title struct {
	id, title string
	deleted   bool
}

type item struct {
	id, book, barcode, shelf string
	state                    library.CopyState
}

type lent struct {
	id, book, title, copy, who string
	since, due, returned       time.Time
	renewals                   int
}

type place struct {
	id, book, title, copy, who string
	state                      library.HoldState
	until, created, ended      time.Time
	fetched                    time.Time // off its shelf, by staff
}

func (l lent) open() bool    { return l.returned.IsZero() }
func (h place) active() bool { return h.ended.IsZero() }
func (p member) staff() bool { return p.curator || p.admin }

// onBook applies a rule to a book. A rule returns the code of a refusal, "" if
// there is none.
func (r *regulations) onBook(book string, rule func() string) string {
	if r.book(book) == nil {
		return "book_not_found"
	}
	before := r.state.clone()
	r.settle(book)
	if refusal := rule(); refusal != "" {
		r.state = before
		return refusal
	}
	r.settle(book)
	r.tell(book, before)
	return ""
}

// settle ends the holds of a book that were not fetched in time, and gives what
// is free to those who wait.
func (r *regulations) settle(book string) {
	for i, h := range r.holds {
		if h.book == book && h.state == library.Ready && r.now.After(h.until) {
			r.end(&r.holds[i], library.Expired)
		}
	}
	for i, h := range r.holds {
		free := r.free(book)
		if h.book == book && h.state == library.Waiting && free != nil {
			r.holds[i].state, r.holds[i].copy = library.Ready, free.id
			r.holds[i].until = r.endOfDayIn(r.policy.HoldDays)
		}
	}
}

// end ends a hold. A library without history forgets at once whose it was.
func (r *regulations) end(h *place, how library.HoldState) {
	h.state, h.ended, h.copy, h.until, h.fetched = how, r.now, "", time.Time{}, time.Time{}
	if r.forgetsAtOnce() {
		h.who = ""
	}
}

func (r *regulations) forgetsAtOnce() bool {
	return r.policy.HistoryDays != nil && *r.policy.HistoryDays == 0
}

func (r *regulations) borrow(p member, book, newLoan string) string {
	if !p.user {
		return "role_missing"
	}
	return r.onBook(book, func() string {
		if r.policy.DeskLends {
			return "desk_only"
		}
		if r.openLoan(book, p.User.ID) != nil {
			return ""
		}
		return r.lendAny(p.User.ID, book, newLoan)
	})
}

// lendAny lends the copy that is set aside for somebody, or one that is free.
func (r *regulations) lendAny(who, book, newLoan string) string {
	hold := r.activeHold(book, who)
	switch {
	case hold != nil && hold.state == library.Ready:
		return r.lendOne(who, r.copy(hold.copy), newLoan)
	case hold != nil:
		return "reserved"
	case r.free(book) != nil:
		return r.lendOne(who, r.free(book), newLoan)
	case r.lendable(book) == 0:
		return "not_lendable"
	case r.setAside(book) > 0:
		return "reserved"
	}
	return "already_borrowed"
}

func (r *regulations) lendOne(who string, c *item, newLoan string) string {
	switch {
	case r.policy.MaxLoans > 0 && r.openLoans(who) >= r.policy.MaxLoans:
		return "loan_limit"
	case r.policy.BlockOverdue && r.overdueLoans(who) > 0:
		return "has_overdue"
	}
	if hold := r.activeHold(c.book, who); hold != nil {
		r.end(hold, library.Fulfilled)
	}
	r.loans = append(r.loans, lent{
		id: newLoan, book: c.book, title: r.book(c.book).title, copy: c.id, who: who, since: r.now, due: r.dueDate(),
	})
	return ""
}

// lendBook and lendCopy are the desk's.
func (r *regulations) lendBook(p member, who, book, newLoan string) string {
	return r.desk(p, who, book, func() string { return r.lendAny(who, book, newLoan) })
}

func (r *regulations) lendCopy(p member, who string, copyID, newLoan string) string {
	if !p.curator {
		return "role_missing"
	}
	c := r.copy(copyID)
	if c == nil {
		return "copy_not_found"
	}
	return r.desk(p, who, c.book, func() string {
		for _, h := range r.holds {
			if h.copy == copyID && h.who != who {
				return "reserved"
			}
		}
		switch {
		case r.loanOf(copyID) != nil:
			return "already_borrowed"
		case c.state != library.Lendable:
			return "not_lendable"
		}
		return r.lendOne(who, c, newLoan)
	})
}

func (r *regulations) desk(p member, who, book string, rule func() string) string {
	if !p.curator {
		return "role_missing"
	}
	return r.onBook(book, func() string {
		switch {
		case r.member(who).gone:
			return "user_not_found"
		case r.openLoan(book, who) != nil:
			return "has_it"
		}
		return rule()
	})
}

func (r *regulations) giveBack(p member, book string) string {
	if !p.user {
		return "role_missing"
	}
	return r.onBook(book, func() string {
		own := r.openLoan(book, p.User.ID)
		switch {
		case r.policy.DeskTakesBack:
			return "desk_only"
		case own != nil:
			r.close(own)
			return ""
		case r.lentOf(book) > 0:
			return "not_your_loan"
		}
		return "not_borrowed"
	})
}

func (r *regulations) close(l *lent) {
	l.returned = r.now
	if r.forgetsAtOnce() {
		l.who = ""
	}
}

// mayTouch is for somebody's loan or hold: others than staff do not learn that it
// exists, and admins may look only.
func (r *regulations) mayTouch(p member, who, notFound string) string {
	own := who != "" && who == p.User.ID
	switch {
	case p.curator || own && p.user:
		return ""
	case own || p.staff():
		return "role_missing"
	}
	return notFound
}

func (r *regulations) returnLoan(p member, id string) string {
	return r.onLoan(p, id, func(l *lent) string {
		if r.policy.DeskTakesBack && !p.curator {
			return "desk_only"
		}
		r.close(l)
		if p.curator {
			r.settle(l.book)
			if aside := first(r.holds, func(h place) bool { return h.copy == l.copy }); aside != nil {
				aside.fetched = r.now
			}
		}
		return ""
	})
}

func (r *regulations) renew(p member, id string) string {
	return r.onLoan(p, id, func(l *lent) string {
		if refusal := r.whyNotRenew(*l); refusal != "" {
			return refusal
		}
		l.renewals++
		l.due = r.dueDate()
		return ""
	})
}

func (r *regulations) whyNotRenew(l lent) string {
	switch {
	case !l.open():
		return "not_open"
	case l.renewals >= r.policy.Renewals:
		return "renewal_limit"
	case r.waiting(l.book) > 0:
		return "awaited"
	case r.policy.BlockOverdue && r.overdueLoans(l.who) > 0:
		return "has_overdue"
	case !r.dueDate().IsZero() && !l.due.IsZero() && !r.dueDate().After(l.due), r.dueDate().IsZero() && l.due.IsZero():
		return "too_early"
	}
	return ""
}

func (r *regulations) onLoan(p member, id string, rule func(*lent) string) string {
	l := r.loan(id)
	if refusal := r.mayTouch(p, l.who, "loan_not_found"); refusal != "" {
		return refusal
	}
	if !l.open() {
		return "not_open"
	}
	return r.onBook(l.book, func() string { return rule(r.loan(id)) })
}
