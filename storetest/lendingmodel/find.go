package lendingmodel

import (
	"slices"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// Queries of the model: each looks through a whole list.

func first[T any](list []T, is func(T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return &list[i]
	}
	return nil
}

func (m *model) member(id string) *member {
	return first(m.people, func(p member) bool { return p.User.ID == id })
}

func (m *model) isBlocked(who string) bool { return m.member(who).block != "" }

func (m *model) book(id string) *title {
	return first(m.books, func(b title) bool { return b.id == id && !b.deleted })
}

func (m *model) copy(id string) *item {
	return first(m.copies, func(c item) bool { return c.id == id })
}

func (m *model) loan(id string) *loan {
	return first(m.loans, func(l loan) bool { return l.id == id })
}

func (m *model) hold(id string) *hold {
	return first(m.holds, func(h hold) bool { return h.id == id })
}

// loanOf is the open loan of a copy.
func (m *model) loanOf(copyID string) *loan {
	return first(m.loans, func(l loan) bool { return l.open() && l.copy == copyID })
}

// openLoan and activeHold are those of one person, of one book. Of several loans it is the oldest.
func (m *model) openLoan(book, who string) (oldest *loan) {
	for i, l := range m.loans {
		if l.open() && l.book == book && l.who == who && (oldest == nil || l.older(*oldest)) {
			oldest = &m.loans[i]
		}
	}
	return oldest
}

// firstDue is the open loan of a book that is due first, of one person; of "" if only one person has the book.
func (m *model) firstDue(book, who string) (next *loan) {
	people := make(map[string]bool)
	for i, l := range m.loans {
		if !l.open() || l.book != book || who != "" && l.who != who {
			continue
		}
		people[l.who] = true
		isEarlier := next != nil && !l.due.IsZero() && (next.due.IsZero() || l.due.Before(next.due))
		if next == nil || isEarlier || l.due.Equal(next.due) && l.older(*next) {
			next = &m.loans[i]
		}
	}
	if len(people) > 1 {
		return nil
	}
	return next
}

func (m *model) activeHold(book, who string) *hold {
	return first(m.holds, func(h hold) bool { return h.active() && h.book == book && h.who == who })
}

func (m *model) isFree(c item) bool {
	return c.state == library.Lendable && m.loanOf(c.id) == nil &&
		!slices.ContainsFunc(m.holds, func(h hold) bool { return h.copy == c.id })
}

// free is the first copy of a book that anybody may have.
func (m *model) free(book string) *item {
	return first(m.copies, func(c item) bool { return c.book == book && m.isFree(c) })
}

func (m *model) lendable(book string) int {
	return fixture.Count(m.copies, func(c item) bool { return c.book == book && c.state == library.Lendable })
}

func (m *model) lentOf(book string) int {
	return fixture.Count(m.loans, func(l loan) bool { return l.open() && l.book == book })
}

func (m *model) waiting(book string) int {
	return fixture.Count(m.holds, func(h hold) bool { return h.book == book && h.state == library.Waiting })
}

func (m *model) setAside(book string) int {
	return fixture.Count(m.holds, func(h hold) bool { return h.book == book && h.state == library.Ready })
}

func (m *model) isOverdue(l loan) bool {
	return l.open() && l.claimed.IsZero() && !l.due.IsZero() && m.now.After(l.due)
}

// openLoans and overdueLoans are those of one person, of all books.
func (m *model) openLoans(who string) int {
	return fixture.Count(m.loans, func(l loan) bool { return l.open() && l.who == who })
}

func (m *model) overdueLoans(who string) int {
	return fixture.Count(m.loans, func(l loan) bool { return l.who == who && m.isOverdue(l) })
}

// position is a hold's place in the queue, 0 if it does not wait.
func (m *model) position(of hold) int {
	n := 0
	for _, h := range m.holds {
		if h.book == of.book && h.state == library.Waiting {
			n++
			if h.id == of.id {
				return n
			}
		}
	}
	return 0
}
