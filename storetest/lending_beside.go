package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"example.org/library"
)

// WantConsistent counts everything about a book, and compares it with what the
// book says of itself. No copy may be free while somebody waits for it.
func WantConsistent(t testing.TB, store library.Store, bookID string) {
	t.Helper()
	s, ctx, staff := library.NewService(store), t.Context(), library.Actor{Authorities: []string{library.RoleAdmin.Authority()}}
	b, err := s.Book(ctx, staff, bookID)
	wantError(t, err, nil)
	copies, err := s.Copies(ctx, staff, bookID)
	wantError(t, err, nil)
	loans := all(t, func() (library.List[library.Loan], error) {
		return s.Loans(ctx, staff, library.LoanQuery{BookID: bookID})
	})
	holds := all(t, func() (library.List[library.Hold], error) {
		return s.Holds(ctx, staff, library.HoldQuery{BookID: bookID})
	})
	var want library.Stock
	lentLendable := 0
	for _, c := range copies {
		if c.Loan != nil && c.Hold != nil {
			t.Errorf("a copy is lent and set aside")
		}
		if c.Hold != nil {
			want.Ready++
		}
		if c.State != library.Lendable {
			continue
		}
		want.Copies++
		switch {
		case c.Loan != nil:
			lentLendable++
		case c.Hold == nil:
			want.Available++
		}
	}
	place := 0
	for _, h := range holds {
		if h.Holder.ID == "" {
			t.Errorf("nobody has the hold %+v", h)
		}
		if h.State == library.Waiting {
			place++
			wantEqual(t, h.Position, place)
		}
	}
	want.Waiting, want.Lent, want.Borrowed = place, len(loans), want.Copies > 0 && lentLendable == want.Copies
	got := b.Stock
	got.Due = time.Time{}
	wantEqual(t, got, want)
	if len(holds) != want.Waiting+want.Ready {
		t.Errorf("%d active holds, but %d wait and %d copies are set aside", len(holds), want.Waiting, want.Ready)
	}
	if want.Waiting > 0 && want.Available > 0 {
		t.Errorf("%d wait while %d copies are free", want.Waiting, want.Available)
	}
}

func all[T any](t testing.TB, read func() (library.List[T], error)) (records []T) {
	t.Helper()
	l, err := read()
	wantError(t, err, nil)
	for record, err := range l.All {
		wantError(t, err, nil)
		records = append(records, record)
	}
	return records
}

// racePolicy changes the policy again and again while readers borrow. Each loan
// follows one policy and not a mixture of two: it is due on a day of that policy, at
// the end of it in the zone that holds in the end.
func racePolicy(t *testing.T, f fixture) {
	const readers, rounds = 4, 15
	now := time.Date(2026, 11, 15, 17, 0, 0, 0, time.UTC)
	services := twoServices(t, f, library.WithClock(func() time.Time { return now }))
	actors := f.addReaders(t, readers+1)
	admin := actors[readers]
	policies := []func(*library.Policy){
		func(p *library.Policy) { p.LoanDays, p.TimeZone = 7, "Europe/Berlin" },
		func(p *library.Policy) { p.LoanDays, p.MaxLoans = 0, 1 },
		func(p *library.Policy) { p.LoanDays, p.TimeZone, p.MaxLoans = 14, "America/New_York", 2 },
	}
	dues := []string{"0001-01-01T00:00:00Z", // the days of two policies, in each of the zones
		"2026-11-22T22:59:59Z", "2026-11-22T23:59:59Z", "2026-11-23T04:59:59Z", "2026-11-29T22:59:59Z", "2026-11-29T23:59:59Z", "2026-11-30T04:59:59Z"}
	setPolicy(t, f, services[0], admin, policies[0])
	books := []string{addBookWith(t, f, services[0], admin, 2), addBookWith(t, f, services[0], admin, 2), addBookWith(t, f, services[0], admin, 2)}
	together(readers+1, func(i int) {
		for n := range rounds {
			if i == readers {
				setPolicy(t, f, services[n%2], admin, policies[n%3])
				continue
			}
			for _, book := range books {
				var lent library.Book
				err := patiently(func() (err error) { lent, err = services[i%2].Borrow(f.ctx, actors[i], book); return err })
				switch {
				case err == nil && !slices.Contains(dues, lent.Loan.Due.Format(time.RFC3339)):
					t.Errorf("a loan is due at %v", lent.Loan.Due)
				case err != nil && !errors.Is(err, library.ErrBookBorrowed) && !errors.Is(err, library.ErrLoanLimit):
					t.Errorf("Borrow: %v", err)
				}
			}
			if n == rounds-1 {
				continue
			}
			for _, book := range books {
				err := patiently(func() error { _, err := services[i%2].Return(f.ctx, actors[i], book); return err })
				if err != nil && code(err) != "not_your_loan" && code(err) != "not_borrowed" {
					t.Errorf("Return: %v", err)
				}
			}
		}
	})
	for _, book := range books {
		WantConsistent(t, f, book)
	}
	zone, err := time.LoadLocation("America/New_York") // that of the last round
	wantError(t, err, nil)
	open, err := services[0].Loans(f.ctx, admin, library.LoanQuery{})
	wantError(t, err, nil)
	for l, err := range open.All {
		wantError(t, err, nil)
		if at := l.Due.In(zone); !l.Due.IsZero() && at.Format(time.TimeOnly) != "23:59:59" {
			t.Errorf("a loan is due at %v, in the middle of a day", at)
		}
	}
}

// raceRemoveUserHold removes somebody who places holds at the same time, and whose
// turn comes at the same time.
func raceRemoveUserHold(t *testing.T, f fixture) {
	services, actors := twoServices(t, f), f.addReaders(t, 2)
	admin, next := actors[0], actors[1]
	returned, wanted := f.addBook(t, "Emma").ID, f.addBook(t, "Persuasion").ID
	_, err := services[0].Borrow(f.ctx, admin, wanted)
	wantError(t, err, nil)
	for range 12 {
		leaving := library.Actor{User: f.addUser(t, "jane@example.com"), Authorities: admin.Authorities}
		_, err := services[0].Borrow(f.ctx, admin, returned)
		wantError(t, err, nil)
		for _, a := range []library.Actor{leaving, next} {
			_, err := services[0].PlaceHold(f.ctx, a, returned)
			wantError(t, err, nil)
		}
		var removed, placed, back error
		together(3, func(i int) {
			switch i {
			case 0:
				removed = services[0].RemoveUser(f.ctx, admin, leaving.User.ID, nil)
			case 1:
				_, placed = services[1].PlaceHold(f.ctx, leaving, wanted)
			case 2:
				_, back = services[1].Return(f.ctx, admin, returned)
			}
		})
		if placed != nil && !errors.Is(placed, library.ErrCallerGone) {
			t.Fatalf("PlaceHold: %v", placed)
		}
		wantError(t, errors.Join(removed, back), nil)
		for _, book := range []string{returned, wanted} {
			WantConsistent(t, f, book)
		}
		got, err := services[0].Borrow(f.ctx, next, returned) // it is set aside for who is next
		wantError(t, err, nil)
		wantEqual(t, got.Stock.Waiting+got.Stock.Ready, 0)
		_, err = services[0].Return(f.ctx, next, returned)
		wantError(t, err, nil)
	}
}

// raceRemoveCopyBorrow removes a copy while somebody borrows it.
func raceRemoveCopyBorrow(t *testing.T, f fixture) {
	services, actors := twoServices(t, f), f.addReaders(t, 2)
	for range 15 {
		b := f.addBook(t, "Emma")
		copies, err := services[0].Copies(f.ctx, actors[0], b.ID)
		wantError(t, err, nil)
		wantEqual(t, len(copies), 1)
		var borrowed, removed error
		together(2, func(i int) {
			if i == 0 {
				_, borrowed = services[0].Borrow(f.ctx, actors[0], b.ID)
			} else {
				removed = services[1].RemoveCopy(f.ctx, actors[1], copies[0].ID, nil)
			}
		})
		switch {
		case borrowed == nil && errors.Is(removed, library.ErrCopyOnLoan):
		case removed == nil && errors.Is(borrowed, library.ErrNotLendable):
		default:
			t.Fatalf("Borrow: %v; RemoveCopy: %v", borrowed, removed)
		}
		WantConsistent(t, f, b.ID)
	}
}
