package lendingmodel

import (
	"fmt"
	"slices"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/storetest/fixture"
)

func (w *world) addCopy(s step) outcome {
	p := w.staffOf(s)
	c := item{id: library.NewID(), book: w.bookOf(s).id, barcode: w.newBarcode(s), shelf: shelfOf(s), state: pick(library.CopyStates, s.ref/2*(s.ref%2))}
	got, err := w.service.AddCopy(w.Ctx, p.Actor, c.book, c.id, library.CopyFields{Barcode: c.barcode, Shelf: c.shelf, State: c.state})
	return outcome{err, w.model.addCopy(p, c), viewOfCopy(got), func() any { return w.model.showCopy(*w.model.copy(c.id)) }}
}

// shelfOf is a shelf, or none.
func shelfOf(s step) string {
	return pick(append(slices.Clone(fixture.Shelves), "", "", ""), s.choice/7)
}

// editCopy marks a copy as lost or found, or gives it another barcode or shelf.
func (w *world) editCopy(s step) outcome {
	p, c := w.staffOf(s), w.copyOf(s)
	if s.choice%3 == 0 {
		c.barcode = w.newBarcode(s)
	}
	if s.choice%4 == 0 {
		c.shelf = shelfOf(s)
	}
	if s.choice%5 > 0 {
		c.state = pick(append(library.CopyStates, library.Lendable, library.Lost), s.choice/5)
	}
	got, err := w.service.EditCopy(w.Ctx, p.Actor, c.id, library.CopyFields{Barcode: c.barcode, Shelf: c.shelf, State: c.state}, nil)
	return outcome{err, w.model.editCopy(p, c), viewOfCopy(got), func() any { return w.model.showCopy(*w.model.copy(c.id)) }}
}

// newBarcode is a barcode, sometimes one that another copy has.
func (w *world) newBarcode(s step) string {
	switch n := s.choice / 30; {
	case n%4 == 0:
		return ""
	case n%4 == 1 && len(w.model.copies) > 0:
		return pick(w.model.copies, n).barcode
	default:
		w.barcodes++
		return fmt.Sprintf("%s-%d", w.name, w.barcodes)
	}
}

func (w *world) removeCopy(s step) outcome {
	p, c := w.staffOf(s), w.copyOf(s)
	return outcome{err: w.service.RemoveCopy(w.Ctx, p.Actor, c.id, nil), refusal: w.model.removeCopy(p, c.id)}
}

func (w *world) addBook(s step) outcome {
	return outcome{err: w.newBook(s.choice % 4)}
}

func (w *world) deleteBook(s step) outcome {
	p, b := w.staffOf(s), w.bookOf(s)
	return outcome{err: w.service.DeleteBook(w.Ctx, p.Actor, b.id, nil), refusal: w.model.deleteBook(p, b.id)}
}

func (w *world) addUser(step) outcome {
	_, err := w.newPerson(library.RoleUser)
	return outcome{err: err}
}

func (w *world) removeUser(s step) outcome {
	p := w.admin
	if s.choice%8 == 0 {
		p = w.actor(s.who)
	}
	id := pick(w.model.people, s.whom).User.ID
	if id == w.desk.User.ID {
		return outcome{} // others need the desk
	}
	return outcome{err: w.service.RemoveUser(w.Ctx, p.Actor, id, nil), refusal: w.model.removeUser(p, id)}
}

func (w *world) holdAtDesk(s step) outcome {
	p, b, who := w.staffOf(s), w.bookOf(s), pick(w.model.people, s.whom).User.ID
	got, err := w.service.PlaceHold(w.Ctx, p.Actor, b.id, who)
	return outcome{err, w.model.placeHoldAtDesk(p, who, b.id, got.ID), viewOfHold(got), func() any { return w.model.showHold(*w.model.hold(got.ID)) }}
}

// block blocks a person, or lends to them again.
func (w *world) block(s step) outcome {
	p, u, reason := w.staffOf(s), pick(w.model.people, s.whom).User, pick([]string{"", "owes us a book"}, s.choice)
	_, err := w.service.EditReader(w.Ctx, p.Actor, u.ID, library.ReaderFields{Card: u.Card, Block: reason}, nil)
	return outcome{err: err, refusal: w.model.block(p, u.ID, reason)}
}

func (w *world) housekeeping(step) outcome {
	done, err := w.service.RunHousekeeping(w.Ctx)
	w.model.housekeeping()
	return outcome{err, "", done.Ran, func() any { return true }}
}

func (w *world) forgetHistory(s step) outcome {
	p := w.actor(s.who)
	err := w.service.ForgetHistory(w.Ctx, p.Actor)
	w.model.forget(p.User.ID, w.model.now)
	return outcome{err: err}
}

// zones are where days are longer, shorter, or begin at odd times.
var zones = []string{"UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Asia/Kathmandu", "Australia/Lord_Howe", "Africa/Cairo", "Pacific/Chatham"}

// setPolicy changes some of the rules, and leaves the rest.
func (w *world) setPolicy(s step) outcome {
	p := w.admin
	if s.ref%8 == 0 {
		p = w.actor(s.who)
	}
	policy, n := w.model.policy, s.choice/21
	switch s.choice % 21 {
	case 0, 1:
		policy.LoanDays = []int{0, 1, 14, 28, 3650}[n%5]
	case 2:
		policy.Renewals = n % 4
	case 3, 4:
		policy.MaxLoans = n % 3
	case 5, 6:
		policy.MaxHolds = n % 2
	case 7, 8:
		policy.BlockOverdue = n%2 == 0
	case 9:
		policy.HoldDays = []int{1, 2, 7, 60}[n%4]
	case 10, 11:
		days := []int{0, 1, 30, 3650}[n%4]
		policy.HistoryDays = &days
		if n%5 == 0 {
			policy.HistoryDays = nil
		}
	case 12, 13:
		policy.TimeZone = pick(zones, n)
	case 14:
		policy.ClosedWeekdays = [][]time.Weekday{{}, {time.Sunday}, {time.Saturday, time.Sunday}, {1, 2, 3, 5, 6, 0}}[n%4]
	case 15:
		policy.ClosedDates = nil
		for i := range n % 5 {
			policy.ClosedDates = append(policy.ClosedDates, calendar.DateOf(w.model.now.Add(time.Duration(policy.HoldDays+i)*24*time.Hour)))
		}
	case 16:
		policy.DeskLends = n%3 == 0
	case 17:
		policy.DeskTakesBack = n%3 == 0
	default:
		policy.Rules = pick(ruleSets(w.model.now), n)
	}
	_, err := w.service.SetPolicy(w.Ctx, p.Actor, policy, nil)
	return outcome{err: err, refusal: w.model.setPolicy(p, policy)}
}
