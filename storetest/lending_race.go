package storetest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
)

// raceRenewHold lets somebody renew a loan while somebody else reserves the book.
// The hold always succeeds; the renewal does if it came first.
func raceRenewHold(t *testing.T, f fixture) {
	services, actors := twoServices(t, f), f.addReaders(t, 2)
	tomorrow := library.NewService(f.Store, library.WithClock(func() time.Time { return time.Now().AddDate(0, 0, 1) }))
	for range 15 {
		b := f.addBook(t, "Emma")
		lent, err := services[0].Borrow(f.ctx, actors[0], b.ID)
		wantError(t, err, nil)
		var (
			renewed, placed error
			hold            library.Hold
		)
		together(2, func(i int) {
			if i == 0 {
				_, renewed = tomorrow.Renew(f.ctx, actors[0], lent.Loan.ID)
			} else {
				hold, placed = services[1].PlaceHold(f.ctx, actors[1], b.ID)
			}
		})
		renewals := 1
		if errors.Is(renewed, library.ErrAwaited) {
			renewals, renewed = 0, nil
		}
		wantError(t, errors.Join(renewed, placed), nil)
		wantEqual(t, hold.Position, 1)
		l, err := services[0].Loan(f.ctx, actors[0], lent.Loan.ID)
		if err != nil || l.Renewals != renewals || l.Renewable {
			t.Fatalf("got %+v and error %v, want %d renewals, and no more", l, err, renewals)
		}
		WantConsistent(t, f, b.ID)
	}
}

// raceFetchExpire fetches a copy at the last moment at which it is set aside,
// while for somebody else that moment is over.
func raceFetchExpire(t *testing.T, f fixture) {
	actors := f.addReaders(t, 3)
	var last, over atomic.Pointer[time.Time]
	now := time.Date(2026, 11, 15, 17, 0, 0, 0, time.UTC)
	last.Store(&now)
	over.Store(&now)
	punctual := library.NewService(f.Store, library.WithClock(func() time.Time { return *last.Load() }))
	ahead := library.NewService(f.open(t), library.WithClock(func() time.Time { return *over.Load() }))
	for round := range 16 {
		b := f.addBook(t, "Emma")
		first, second := actors[1], actors[2]
		_, err := punctual.Borrow(f.ctx, actors[0], b.ID)
		wantError(t, err, nil)
		held, err := punctual.PlaceHold(f.ctx, first, b.ID)
		wantError(t, err, nil)
		next, err := punctual.PlaceHold(f.ctx, second, b.ID)
		wantError(t, err, nil)
		_, err = punctual.Return(f.ctx, actors[0], b.ID)
		wantError(t, err, nil)
		held, err = punctual.Hold(f.ctx, first, held.ID)
		wantError(t, err, nil)
		wantEqual(t, held.State, library.Ready)

		until := held.Until
		after := until.Add(time.Microsecond)
		last.Store(&until)
		over.Store(&after)
		var fetched, served error
		together(2, func(i int) {
			switch {
			case i == 0:
				_, fetched = punctual.Borrow(f.ctx, first, b.ID)
			case round%2 == 0:
				_, served = ahead.KeepHouse(f.ctx)
			default:
				_, served = ahead.Borrow(f.ctx, second, b.ID)
			}
		})
		wantOneServed(t, f, ahead, held, next, fetched, served, round%2 == 1)
		WantConsistent(t, f, b.ID)
		now := after.Add(time.Hour)
		last.Store(&now)
		over.Store(&now)
	}
}

// wantOneServed checks what became of two holds of which one could have the copy.
func wantOneServed(t *testing.T, f fixture, s *library.Service, held, next library.Hold, fetched, served error, borrows bool) {
	t.Helper()
	staff := library.Actor{Authorities: []string{library.RoleAdmin.Authority()}}
	held, err := s.Hold(f.ctx, staff, held.ID)
	wantError(t, err, nil)
	next, err = s.Hold(f.ctx, staff, next.ID)
	wantError(t, err, nil)
	states := [2]library.HoldState{held.State, next.State}
	switch {
	case fetched == nil && borrows && errors.Is(served, library.ErrReserved), fetched == nil && !borrows && served == nil:
		wantEqual(t, states, [2]library.HoldState{library.Fulfilled, library.Waiting})
	case borrows && served == nil && !errors.Is(fetched, library.ErrReserved):
		wantError(t, fetched, library.ErrBookBorrowed)
		wantEqual(t, states, [2]library.HoldState{library.Expired, library.Fulfilled})
	case !borrows && served == nil:
		wantError(t, fetched, library.ErrReserved)
		wantEqual(t, states, [2]library.HoldState{library.Expired, library.Ready})
	default:
		t.Fatalf("one was told %v, the other %v; the holds are %v", fetched, served, states)
	}
}
