package lendingmodel

import (
	"fmt"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// newStation adds a machine at which people borrow with their cards. It is in no list.
func (w *world) newStation() error {
	u := fixture.NewUser(fmt.Sprintf("%s-station@example.com", w.name))
	u.Station, u.Roles = true, nil
	w.station = library.Actor{User: u}
	return w.Tx(w.Ctx, func(tx library.Tx) error { return tx.AddUser(w.Ctx, u) })
}

// lendAtStation lends as the holder of the card would, without looking at roles.
func (w *world) lendAtStation(s step) outcome {
	p, c := w.actor(s.who), w.copyOf(s)
	if c.barcode == "" {
		return outcome{}
	}
	got, err := w.service.LendAtStation(w.Ctx, w.station, p.User.Card, c.barcode)
	newLoan := ""
	if err == nil { // the answer does not say which loan it is
		loans, err := w.service.Loans(w.Ctx, w.desk.Actor, library.LoanQuery{UserID: p.User.ID, BookID: c.book})
		if err != nil {
			return outcome{err: err}
		}
		for l := range loans.All {
			newLoan = l.ID
		}
	}
	p.user = true
	return outcome{err, w.model.borrowCopy(p, c.id, newLoan), got.Due, func() any { return w.model.showLoan(*w.model.loan(newLoan)).Due }}
}

// returnAtStation takes back as from whoever has the copy.
func (w *world) returnAtStation(s step) outcome {
	c, holder := w.copyOf(s), member{user: true}
	if c.barcode == "" {
		return outcome{}
	}
	if l := w.model.loanOf(c.id); l != nil {
		holder.User.ID = l.who
	}
	got, err := w.service.ReturnAtStation(w.Ctx, w.station, c.barcode)
	return outcome{err, w.model.returnCopy(holder, c.id, ""), got.SetAside, func() any {
		return first(w.model.holds, func(h hold) bool { return h.copy == c.id }) != nil
	}}
}
