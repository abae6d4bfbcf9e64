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

// model is a library as its regulations describe it: lists of people, books, copies,
// loans and holds, in the order in which they came. Each question is answered by
// looking through a whole list. It shares no rule with package library, so that the
// two can be compared.
//
// What happens by itself (a hold expires, a free copy goes to the next in the queue)
// happens whenever something else is done with the book, and in housekeeping. A refusal
// changes nothing.
type model struct {
	now    time.Time
	policy library.Policy
	people []member
	books  []title
	state
	edited bool // a copy was edited, perhaps without a difference
	events []event
}

type member struct {
	library.Actor
	user, curator, admin bool
	gone                 bool
	block                string // why nothing is lent to the person
}

type title struct {
	id, title, kind string
	deleted         bool
}

type item struct {
	id, book, barcode, shelf string
	state, before            library.CopyState // before: of a missing one
	missingSince             time.Time
}

type loan struct {
	id, book, title, copy, who string
	since, due, returned       time.Time
	claimed                    time.Time
	lost                       bool
	renewals                   int
	rule                       string
	several                    bool
}

type hold struct {
	id, book, title, copy, who string
	state                      library.HoldState
	until, created, ended      time.Time
	fetched                    time.Time // by staff, from its shelf
}

func (l loan) older(than loan) bool {
	return l.since.Before(than.since) || l.since.Equal(than.since) && l.id < than.id
}

func (l loan) open() bool    { return l.returned.IsZero() }
func (h hold) active() bool  { return h.ended.IsZero() }
func (p member) staff() bool { return p.curator || p.admin }

// onBook applies a rule to a book. A rule returns the code of a refusal, "" if
// there is none.
func (m *model) onBook(book string, rule func() string) string {
	if m.book(book) == nil {
		return "book_not_found"
	}
	before := m.state.clone()
	m.settle(book)
	if refusal := rule(); refusal != "" {
		m.state = before
		return refusal
	}
	m.settle(book)
	m.publish(book, before)
	return ""
}

// onBookFor applies a rule for a person who is there and not blocked.
func (m *model) onBookFor(who, book string, rule func() string) string {
	return m.onBook(book, func() string {
		switch {
		case m.member(who).gone:
			return "user_not_found"
		case m.isBlocked(who):
			return "blocked"
		}
		return rule()
	})
}

// settle brings a book up to date with the time: holds expire, and free copies go to
// those who wait.
func (m *model) settle(book string) {
	for i, h := range m.holds {
		if h.book == book && h.state == library.Ready && m.now.After(h.until) {
			m.end(&m.holds[i], library.Expired)
		}
	}
	for i, h := range m.holds {
		free := m.free(book)
		if h.book == book && h.state == library.Waiting && free != nil {
			m.holds[i].state, m.holds[i].copy = library.Ready, free.id
			m.holds[i].until = m.endOfDayIn(m.policy.HoldDays)
		}
	}
}

// end ends a hold. A library without history forgets at once whose it was.
func (m *model) end(h *hold, how library.HoldState) {
	h.state, h.ended, h.copy, h.until, h.fetched = how, m.now, "", time.Time{}, time.Time{}
	if m.forgetsAtOnce() {
		h.who = ""
	}
}

func (m *model) forgetsAtOnce() bool {
	return m.policy.HistoryDays != nil && *m.policy.HistoryDays == 0
}

func (m *model) borrow(p member, book, newLoan string) string {
	if !p.user {
		return "role_missing"
	}
	return m.onBook(book, func() string {
		if !m.selfBorrow(p.User.ID, book) {
			return "desk_only"
		}
		if m.isBlocked(p.User.ID) {
			return "blocked"
		}
		if m.openLoan(book, p.User.ID) != nil {
			return ""
		}
		return m.lendAny(p.User.ID, book, newLoan)
	})
}

// lendAny lends the copy that is set aside for somebody, or one that is free.
func (m *model) lendAny(who, book, newLoan string) string {
	hold := m.activeHold(book, who)
	switch {
	case !m.isForThem(who, book):
		return "not_for_you"
	case hold != nil && hold.state == library.Ready:
		return m.lendOne(who, m.copy(hold.copy), newLoan)
	case hold != nil:
		return "reserved"
	case m.free(book) != nil:
		return m.lendOne(who, m.free(book), newLoan)
	case m.lendable(book) == 0:
		return "not_lendable"
	case m.setAside(book) > 0:
		return "reserved"
	}
	return "already_borrowed"
}

func (m *model) lendOne(who string, c *item, newLoan string) string {
	switch {
	case m.isOverLoans(who, c.book):
		return "loan_limit"
	case m.policy.BlockOverdue && m.overdueLoans(who) > 0:
		return "has_overdue"
	}
	m.seen[c.id] = m.now
	if hold := m.activeHold(c.book, who); hold != nil {
		m.end(hold, library.Fulfilled)
	}
	due, rule := m.dueDate(who, c.book)
	m.loans = append(m.loans, loan{
		id: newLoan, book: c.book, title: m.book(c.book).title, copy: c.id, who: who, since: m.now, due: due, rule: rule,
	})
	return ""
}

// lendBook and lendCopy lend to a reader at the desk.
func (m *model) lendBook(p member, who, book string, several bool, newLoan string) string {
	return m.desk(p, who, book, several, func() string { return m.lendAny(who, book, newLoan) })
}

func (m *model) lendCopy(p member, who, copyID string, swap, several bool, newLoan string) string {
	if !p.curator {
		return "role_missing"
	}
	c := m.copy(copyID)
	if c == nil {
		return "copy_not_found"
	}
	c = m.seeMissing(c)
	return m.desk(p, who, c.book, several, func() string { return m.lendInHand(who, c, swap, newLoan) })
}

// desk lends to a reader. With several the reader may have other copies of the book.
func (m *model) desk(p member, who, book string, several bool, rule func() string) string {
	if !p.curator {
		return "role_missing"
	}
	return m.onBookFor(who, book, func() string {
		if m.openLoan(book, who) != nil && !several {
			return "has_it"
		}
		refusal := rule()
		if refusal == "" {
			m.loans[len(m.loans)-1].several = several
		}
		return refusal
	})
}

func (m *model) giveBack(p member, book string) string {
	if !p.user {
		return "role_missing"
	}
	return m.onBook(book, func() string {
		own := m.openLoan(book, p.User.ID)
		switch {
		case m.policy.DeskTakesBack:
			return "desk_only"
		case own != nil:
			m.close(own)
			return ""
		case m.lentOf(book) > 0:
			return "not_your_loan"
		}
		return "not_borrowed"
	})
}

func (m *model) close(l *loan) {
	m.seen[l.copy] = m.now
	m.closeAt(l, m.now)
}

func (m *model) closeAt(l *loan, at time.Time) {
	l.returned = at
	if m.forgetsAtOnce() {
		l.who = ""
	}
}

// mayTouch says who may change the loan or hold of a person: the person and curators.
// Admins may only look, and all others do not learn that it exists.
func (m *model) mayTouch(p member, who, notFound string) string {
	own := who != "" && who == p.User.ID
	switch {
	case p.curator || own && p.user:
		return ""
	case own || p.staff():
		return "role_missing"
	}
	return notFound
}

func (m *model) returnLoan(p member, id string) string {
	return m.onLoan(p, id, func(l *loan) string {
		if m.policy.DeskTakesBack && !p.curator {
			return "desk_only"
		}
		if p.curator {
			m.takeInAtDesk(l, m.now)
		} else {
			m.close(l)
		}
		return ""
	})
}

// takeInAtDesk ends a loan as of an instant. Staff have the copy in hand.
func (m *model) takeInAtDesk(l *loan, at time.Time) {
	m.close(l)
	l.returned = at
	m.settle(l.book)
	if aside := first(m.holds, func(h hold) bool { return h.copy == l.copy }); aside != nil && aside.fetched.IsZero() {
		aside.fetched = m.now
	}
}

func (m *model) onLoan(p member, id string, rule func(*loan) string) string {
	l := m.loan(id)
	if refusal := m.mayTouch(p, l.who, "loan_not_found"); refusal != "" {
		return refusal
	}
	if !l.open() {
		return "not_open"
	}
	return m.onBook(l.book, func() string { return rule(m.loan(id)) })
}
