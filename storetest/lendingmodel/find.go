package lendingmodel

import (
	"slices"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// Looking through the lists.

func first[T any](list []T, is func(T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return &list[i]
	}
	return nil
}

func (r *regulations) member(id string) *member {
	return first(r.people, func(p member) bool { return p.User.ID == id })
}

func (r *regulations) book(id string) *title {
	return first(r.books, func(b title) bool { return b.id == id && !b.deleted })
}

func (r *regulations) copy(id string) *item {
	return first(r.copies, func(c item) bool { return c.id == id })
}

func (r *regulations) loan(id string) *lent {
	return first(r.loans, func(l lent) bool { return l.id == id })
}

func (r *regulations) hold(id string) *place {
	return first(r.holds, func(h place) bool { return h.id == id })
}

// loanOf is the open loan of a copy.
func (r *regulations) loanOf(copyID string) *lent {
	return first(r.loans, func(l lent) bool { return l.open() && l.copy == copyID })
}

// openLoan and activeHold are somebody's of a book.
func (r *regulations) openLoan(book, who string) *lent {
	return first(r.loans, func(l lent) bool { return l.open() && l.book == book && l.who == who })
}

func (r *regulations) activeHold(book, who string) *place {
	return first(r.holds, func(h place) bool { return h.active() && h.book == book && h.who == who })
}

func (r *regulations) isFree(c item) bool {
	return c.state == library.Lendable && r.loanOf(c.id) == nil &&
		!slices.ContainsFunc(r.holds, func(h place) bool { return h.copy == c.id })
}

// free is the first copy of a book that anybody may have.
func (r *regulations) free(book string) *item {
	return first(r.copies, func(c item) bool { return c.book == book && r.isFree(c) })
}

func (r *regulations) lendable(book string) int {
	return fixture.Count(r.copies, func(c item) bool { return c.book == book && c.state == library.Lendable })
}

func (r *regulations) lentOf(book string) int {
	return fixture.Count(r.loans, func(l lent) bool { return l.open() && l.book == book })
}

func (r *regulations) waiting(book string) int {
	return fixture.Count(r.holds, func(h place) bool { return h.book == book && h.state == library.Waiting })
}

func (r *regulations) setAside(book string) int {
	return fixture.Count(r.holds, func(h place) bool { return h.book == book && h.state == library.Ready })
}

func (r *regulations) isOverdue(l lent) bool {
	return l.open() && !l.due.IsZero() && r.now.After(l.due)
}

// openLoans, overdueLoans and activeHolds are somebody's, of all books.
func (r *regulations) openLoans(who string) int {
	return fixture.Count(r.loans, func(l lent) bool { return l.open() && l.who == who })
}

func (r *regulations) overdueLoans(who string) int {
	return fixture.Count(r.loans, func(l lent) bool { return l.who == who && r.isOverdue(l) })
}

// activeHolds leaves out what was not fetched in time, whether that has been
// noted or not.
func (r *regulations) activeHolds(who string) int {
	return fixture.Count(r.holds, func(h place) bool {
		return h.active() && h.who == who && !(h.state == library.Ready && r.now.After(h.until))
	})
}

// position is a hold's place in the queue, 0 if it does not wait.
func (r *regulations) position(of place) int {
	n := 0
	for _, h := range r.holds {
		if h.book == of.book && h.state == library.Waiting {
			n++
			if h.id == of.id {
				return n
			}
		}
	}
	return 0
}
