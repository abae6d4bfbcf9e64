package races

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// raceRenewHold renews a loan while another reader reserves the book.
// The hold always succeeds; the renewal does if it came first.
func raceRenewHold(t *testing.T, f fixture.Store) {
	services, actors := f.TwoServices(t), f.AddReaders(t, 2)
	tomorrow := service.New(f.Store, service.WithClock(func() time.Time { return time.Now().AddDate(0, 0, 1) }))
	for range 15 {
		b := f.AddBook(t, "Emma")
		lent, err := services[0].Borrow(f.Ctx, actors[0], b.ID)
		fixture.WantError(t, err, nil)
		var (
			renewed, placed error
			hold            library.Hold
		)
		fixture.Concurrently(2, func(i int) {
			if i == 0 {
				_, renewed = tomorrow.Renew(f.Ctx, actors[0], lent.Loan.ID)
			} else {
				hold, placed = services[1].PlaceHold(f.Ctx, actors[1], b.ID, "")
			}
		})
		renewals := 1
		if errors.Is(renewed, library.ErrAwaited) {
			renewals, renewed = 0, nil
		}
		fixture.WantError(t, errors.Join(renewed, placed), nil)
		fixture.WantEqual(t, hold.Position, 1)
		l, err := services[0].Loan(f.Ctx, actors[0], lent.Loan.ID)
		if err != nil || l.Renewals != renewals || l.Renewable {
			t.Fatalf("got %+v and error %v, want %d renewals, and no more", l, err, renewals)
		}
		fixture.WantConsistent(t, f, b.ID)
	}
}

// raceFetchExpire fetches a copy at the last moment at which it is set aside,
// while for another process that moment is over.
func raceFetchExpire(t *testing.T, f fixture.Store) {
	actors := f.AddReaders(t, 3)
	var last, over atomic.Pointer[time.Time]
	now := time.Date(2026, 11, 15, 17, 0, 0, 0, time.UTC)
	last.Store(&now)
	over.Store(&now)
	punctual := service.New(f.Store, service.WithClock(func() time.Time { return *last.Load() }))
	ahead := service.New(f.Open(t), service.WithClock(func() time.Time { return *over.Load() }))
	for round := range 16 {
		b := f.AddBook(t, "Emma")
		first, second := actors[1], actors[2]
		_, err := punctual.Borrow(f.Ctx, actors[0], b.ID)
		fixture.WantError(t, err, nil)
		held, err := punctual.PlaceHold(f.Ctx, first, b.ID, "")
		fixture.WantError(t, err, nil)
		next, err := punctual.PlaceHold(f.Ctx, second, b.ID, "")
		fixture.WantError(t, err, nil)
		_, err = punctual.Return(f.Ctx, actors[0], b.ID)
		fixture.WantError(t, err, nil)
		held, err = punctual.Hold(f.Ctx, first, held.ID)
		fixture.WantError(t, err, nil)
		fixture.WantEqual(t, held.State, library.Ready)

		until := held.Until
		after := until.Add(time.Microsecond)
		last.Store(&until)
		over.Store(&after)
		var fetched, served error
		fixture.Concurrently(2, func(i int) {
			switch {
			case i == 0:
				_, fetched = punctual.Borrow(f.Ctx, first, b.ID)
			case round%2 == 0:
				_, served = ahead.RunHousekeeping(f.Ctx)
			default:
				_, served = ahead.Borrow(f.Ctx, second, b.ID)
			}
		})
		wantOneServed(t, f, ahead, held, next, fetched, served, round%2 == 1)
		fixture.WantConsistent(t, f, b.ID)
		now := after.Add(time.Hour)
		last.Store(&now)
		over.Store(&now)
	}
}

// wantOneServed checks what became of two holds of which one could have the copy.
func wantOneServed(t *testing.T, f fixture.Store, s *service.Service, held, next library.Hold, fetched, served error, borrows bool) {
	t.Helper()
	staff := library.Actor{Authorities: []string{library.RoleAdmin.Authority()}}
	held, err := s.Hold(f.Ctx, staff, held.ID)
	fixture.WantError(t, err, nil)
	next, err = s.Hold(f.Ctx, staff, next.ID)
	fixture.WantError(t, err, nil)
	states := [2]library.HoldState{held.State, next.State}
	switch {
	case fetched == nil && borrows && errors.Is(served, library.ErrReserved), fetched == nil && !borrows && served == nil:
		fixture.WantEqual(t, states, [2]library.HoldState{library.Fulfilled, library.Waiting})
	case borrows && served == nil && !errors.Is(fetched, library.ErrReserved):
		fixture.WantError(t, fetched, library.ErrBookBorrowed)
		fixture.WantEqual(t, states, [2]library.HoldState{library.Expired, library.Fulfilled})
	case !borrows && served == nil:
		fixture.WantError(t, fetched, library.ErrReserved)
		fixture.WantEqual(t, states, [2]library.HoldState{library.Expired, library.Ready})
	default:
		t.Fatalf("the answers are %v and %v, the holds %v", fetched, served, states)
	}
}
