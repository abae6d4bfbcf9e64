package lendingmodel

import (
	"slices"

	"example.org/library"
)

// borrowCopy lends the copy in somebody's hand to them, without the desk.
func (m *model) borrowCopy(p member, copyID, newLoan string) string {
	if !p.user {
		return "role_missing"
	}
	c := m.copy(copyID)
	if c == nil {
		return "copy_not_found"
	}
	if m.selfBorrow(p.User.ID, c.book) {
		c = m.seeMissing(c)
	}
	return m.onBook(c.book, func() string {
		switch {
		case !m.selfBorrow(p.User.ID, c.book):
			return "desk_only"
		case m.isBlocked(p.User.ID):
			return "blocked"
		case m.openLoan(c.book, p.User.ID) != nil:
			return "has_it"
		}
		return m.lendInHand(p.User.ID, c, false, newLoan)
	})
}

// lendInHand lends one copy. With swap, somebody else's loan of it moves to a free one.
func (m *model) lendInHand(who string, c *item, swap bool, newLoan string) string {
	lent, other := m.loanOf(c.id), m.free(c.book)
	switch {
	case !m.isForThem(who, c.book):
		return "not_for_you"
	case lent != nil && (!swap || other == nil) && m.isLendableBeside(c):
		return "copy_on_loan"
	case lent != nil && (!swap || other == nil):
		return "already_borrowed"
	case m.isAside(c.id, who):
		return "reserved"
	case c.state != library.Lendable:
		return "not_lendable"
	}
	if lent != nil {
		lent.copy = other.id
	}
	return m.lendOne(who, c, newLoan)
}

func (m *model) isLendableBeside(c *item) bool {
	return slices.ContainsFunc(m.copies, func(other item) bool {
		return other.book == c.book && other.id != c.id && other.state == library.Lendable
	})
}

// isAside reports whether a copy is set aside for somebody other than a person.
func (m *model) isAside(copyID, who string) bool {
	return slices.ContainsFunc(m.holds, func(h hold) bool { return h.copy == copyID && h.who != who })
}

// returnCopy takes back the copy in somebody's hand: at the desk for curators, who may
// say whose it is.
func (m *model) returnCopy(p member, copyID, named string) string {
	if !p.curator && (!p.user || named != "") {
		return "role_missing"
	}
	c := m.copy(copyID)
	if c == nil {
		return "unknown_code"
	}
	if p.curator || !m.policy.DeskTakesBack {
		c = m.seeMissing(c)
	}
	if named != "" {
		switch l := m.loan(named); {
		case !l.open():
			return "not_open"
		case l.book != c.book:
			return "other_book"
		}
	}
	return m.onBook(c.book, func() string {
		if !p.curator && m.policy.DeskTakesBack {
			return "desk_only"
		}
		ends, refusal := m.endedBy(p, c, named)
		if refusal != "" {
			return refusal
		}
		ends.copy = copyID
		m.close(ends)
		if p.curator {
			m.settle(c.book)
			if aside := first(m.holds, func(h hold) bool { return h.copy == copyID }); aside != nil && aside.fetched.IsZero() {
				aside.fetched = m.now
			}
		}
		return ""
	})
}

// endedBy finds the loan that a copy in somebody's hand ends.
func (m *model) endedBy(p member, c *item, named string) (*loan, string) {
	lent, own := m.loanOf(c.id), m.openLoan(c.book, p.User.ID)
	switch {
	case named != "" && lent != nil && lent.id != named:
		return nil, "copy_on_loan"
	case named != "":
		return m.loan(named), ""
	case lent != nil && (p.curator || lent.who == p.User.ID):
		return lent, ""
	case lent != nil:
		return nil, "not_yours"
	case own != nil && !p.curator:
		return own, ""
	}
	return nil, "not_borrowed"
}

// moveLoan gives a loan another copy. With swap, two loans exchange theirs.
func (m *model) moveLoan(p member, id, copyID string, swap bool) string {
	if !p.curator {
		return "role_missing"
	}
	l, c := m.loan(id), m.copy(copyID)
	switch {
	case c == nil:
		return "copy_not_found"
	case !l.open():
		return "not_open"
	case l.book != c.book:
		return "other_book"
	}
	return m.onBook(c.book, func() string {
		l, lent := m.loan(id), m.loanOf(copyID)
		switch {
		case lent != nil && lent.id == id:
			return ""
		case lent != nil && !swap:
			return "copy_on_loan"
		case m.isAside(copyID, ""):
			return "reserved"
		case c.state != library.Lendable:
			return "not_lendable"
		}
		if lent != nil {
			lent.copy = l.copy
		}
		l.copy = copyID
		return ""
	})
}
