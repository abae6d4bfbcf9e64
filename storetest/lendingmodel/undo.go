package lendingmodel

import (
	"cmp"
	"slices"
	"time"

	"example.org/library"
)

// undoReturn opens a loan again within ten minutes of its return.
func (m *model) undoReturn(p member, id string) string {
	if !p.curator {
		return "role_missing"
	}
	l := m.loan(id)
	switch {
	case l.open():
		return "not_returned"
	case l.book == "" || l.copy == "" || l.who == "" || m.now.Sub(l.returned) > 10*time.Minute:
		return "too_late"
	}
	return m.onBook(l.book, func() string {
		l := m.loan(id)
		switch {
		case m.lentSince(*l) || m.copy(l.copy).state == library.Reference || m.copy(l.copy).state == library.Missing || m.fetchedSince(*l):
			return "too_late"
		case !l.several && m.openLoan(l.book, l.who) != nil || m.activeHold(l.book, l.who) != nil:
			return "too_late"
		case m.isOverLoans(l.who, l.book):
			return "loan_limit"
		}
		m.takeBack(l.copy)
		l.returned, l.lost = time.Time{}, false
		return ""
	})
}

// lentSince reports whether the copy of a returned loan is lent, or was lent after it.
// Of loans that began and ended in the same instant the one with the greatest
// identifier counts as the last.
func (m *model) lentSince(back loan) bool {
	return m.loanOf(back.copy) != nil || slices.ContainsFunc(m.loans, func(l loan) bool {
		return l.copy == back.copy && cmp.Or(l.returned.Compare(back.returned), l.since.Compare(back.since), cmp.Compare(l.id, back.id)) > 0
	})
}

// fetchedSince reports whether staff have fetched the copy of a returned loan for a hold.
func (m *model) fetchedSince(back loan) bool {
	return slices.ContainsFunc(m.holds, func(h hold) bool { return h.copy == back.copy && h.fetched.After(back.returned) })
}
