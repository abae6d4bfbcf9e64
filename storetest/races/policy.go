package races

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

func raceForMaxLoans(t *testing.T, f fixture.Store) {
	raceForLoans(t, f, func(p *library.Policy) { p.MaxLoans = most })
}

func raceForMaxHolds(t *testing.T, f fixture.Store) {
	raceForHolds(t, f, func(p *library.Policy) { p.MaxHolds = most })
}

// raceForLoansOfKinds and raceForHoldsOfKinds are about the limit of a rule for kinds of books.
func raceForLoansOfKinds(t *testing.T, f fixture.Store) {
	raceForLoans(t, f, func(p *library.Policy) {
		p.Rules = []library.PolicyRule{{Name: "Books", Kinds: []string{library.KindBook, library.KindFilm}, MaxLoans: new(most)}}
	})
}

func raceForHoldsOfKinds(t *testing.T, f fixture.Store) {
	raceForHolds(t, f, func(p *library.Policy) {
		p.Rules = []library.PolicyRule{{Name: "Books", Kinds: []string{library.KindBook}, MaxHolds: new(most)}}
	})
}

func raceForLoans(t *testing.T, f fixture.Store, limit func(*library.Policy)) {
	t.Helper()
	services, actors := f.TwoServices(t), f.AddReaders(t, 2)
	reader, desk := actors[0], actors[1]
	f.SetPolicy(t, services[0], desk, limit)
	raceForMost(t, f, library.ErrLoanLimit, func(i int, book string) (err error) {
		if i%5 == 0 { // the desk counts, too
			_, err = services[i%2].Lend(f.Ctx, desk, service.Lending{UserID: reader.User.ID, BookID: book})
		} else {
			_, err = services[i%2].Borrow(f.Ctx, reader, book)
		}
		return err
	})
	l, err := services[0].Loans(f.Ctx, reader, library.LoanQuery{UserID: reader.User.ID})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, l.Total, most)
}

func raceForHolds(t *testing.T, f fixture.Store, limit func(*library.Policy)) {
	t.Helper()
	services, actors := f.TwoServices(t), f.AddReaders(t, 2)
	reader, other := actors[0], actors[1]
	f.SetPolicy(t, services[0], other, limit)
	raceForMost(t, f, library.ErrHoldLimit, func(i int, book string) error {
		if _, err := services[i%2].Borrow(f.Ctx, other, book); err != nil {
			return err
		}
		_, err := services[i%2].PlaceHold(f.Ctx, reader, book, "")
		return err
	})
	l, err := services[0].Holds(f.Ctx, reader, library.HoldQuery{UserID: reader.User.ID})
	fixture.WantError(t, err, nil)
	fixture.WantEqual(t, l.Total, most)
}

// most is what the policy allows a reader in a race for more.
const most = 5

// raceForMost asks for ten times as many as there may be, each of a book of its own: most get it, and the others are refused.
func raceForMost(t *testing.T, f fixture.Store, refusal *library.Error, ask func(i int, book string) error) {
	t.Helper()
	books := make([]string, 10*most)
	for i := range books {
		books[i] = f.AddBook(t, "Emma").ID
	}
	var got atomic.Int32
	fixture.Concurrently(len(books), func(i int) {
		err := fixture.RetryUnavailable(func() error { return ask(i, books[i]) })
		switch {
		case err == nil:
			got.Add(1)
		case !errors.Is(err, refusal):
			t.Errorf("book %d: %v", i, err)
		}
	})
	fixture.WantEqual(t, got.Load(), most)
}

// newLimitCountsLoans sets a limit while a loan, by the reader or at the desk, is under
// way that was decided without one. A loan after that is counted with it.
func newLimitCountsLoans(t *testing.T, f fixture.Store) {
	services, actors := f.TwoServices(t), f.AddReaders(t, 3)
	for i, caller := range []library.Actor{actors[0], actors[2]} {
		reader, admin := actors[i], actors[2]
		f.SetPolicy(t, services[0], admin, func(*library.Policy) {})
		one, other := f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")
		var (
			later   sync.WaitGroup
			refused error
		)
		f.InTx(t, func(tx library.Tx) error {
			_, c, err := tx.Load(f.Ctx, library.Load{Caller: caller.User.Email, Book: one.ID, Reader: reader.User.ID, Now: fixture.Epoch})
			if err != nil {
				return err
			}
			d, err := c.Borrow(fixture.Epoch)
			if err != nil {
				return err
			}
			later.Go(func() {
				f.SetPolicy(t, services[1], admin, func(p *library.Policy) { p.MaxLoans = 1 })
				_, refused = services[1].Borrow(f.Ctx, reader, other.ID)
			})
			time.Sleep(100 * time.Millisecond) // let it begin to wait
			return tx.Save(f.Ctx, d)
		})
		later.Wait()
		fixture.WantError(t, refused, library.ErrLoanLimit)
	}
}

// newLimitWhileWaiting sets a limit while two loans wait for the record of their
// reader. Both learn of the limit, so one of them is refused.
func newLimitWhileWaiting(t *testing.T, f fixture.Store) {
	services, actors := f.TwoServices(t), f.AddReaders(t, 2)
	reader, admin := actors[0], actors[1]
	books := []library.Book{f.AddBook(t, "Emma"), f.AddBook(t, "Persuasion")}
	var (
		all      sync.WaitGroup
		borrowed [2]error
		limited  atomic.Bool
		known    bool
	)
	f.InTx(t, func(tx library.Tx) error {
		edited := reader.User
		edited.LastName = "Married"
		if err := tx.UpdateUser(f.Ctx, edited); err != nil {
			return err
		}
		for i, b := range books {
			all.Go(func() { _, borrowed[i] = services[i].Borrow(f.Ctx, reader, b.ID) })
		}
		time.Sleep(100 * time.Millisecond) // let them begin to wait
		all.Go(func() {
			f.SetPolicy(t, services[0], admin, func(p *library.Policy) { p.MaxLoans = 1 })
			limited.Store(true)
		})
		time.Sleep(200 * time.Millisecond)
		known = limited.Load() // otherwise all wait, and any of them may be first
		return nil
	})
	all.Wait()
	for _, err := range borrowed {
		if err != nil && !errors.Is(err, library.ErrLoanLimit) {
			t.Fatalf("Borrow: %v", err)
		}
	}
	if known && (borrowed[0] == nil) == (borrowed[1] == nil) {
		t.Errorf("with one loan allowed, the answers to two at once are %v", borrowed)
	}
}

// racePolicy changes the policy again and again while readers borrow. Each loan
// follows one policy and not a mixture of two: it is due on a day of that policy, at
// the end of it in the zone that holds in the end.
func racePolicy(t *testing.T, f fixture.Store) {
	const readers, rounds = 4, 15
	now := time.Date(2026, 11, 15, 17, 0, 0, 0, time.UTC)
	services := f.TwoServices(t, service.WithClock(func() time.Time { return now }))
	actors := f.AddReaders(t, readers+1)
	admin := actors[readers]
	policies := []func(*library.Policy){
		func(p *library.Policy) { p.LoanDays, p.TimeZone = 7, "Europe/Berlin" },
		func(p *library.Policy) { p.LoanDays, p.MaxLoans = 0, 1 },
		func(p *library.Policy) { p.LoanDays, p.TimeZone, p.MaxLoans = 14, "America/New_York", 2 },
	}
	dues := []string{"0001-01-01T00:00:00Z", // the days of two policies, in each of the zones
		"2026-11-22T22:59:59Z", "2026-11-22T23:59:59Z", "2026-11-23T04:59:59Z", "2026-11-29T22:59:59Z", "2026-11-29T23:59:59Z", "2026-11-30T04:59:59Z"}
	f.SetPolicy(t, services[0], admin, policies[0])
	books := []string{f.AddBookWithCopies(t, services[0], admin, 2), f.AddBookWithCopies(t, services[0], admin, 2), f.AddBookWithCopies(t, services[0], admin, 2)}
	fixture.Concurrently(readers+1, func(i int) {
		for n := range rounds {
			if i == readers {
				f.SetPolicy(t, services[n%2], admin, policies[n%3])
				continue
			}
			for _, book := range books {
				var lent library.Book
				err := fixture.RetryUnavailable(func() (err error) { lent, err = services[i%2].Borrow(f.Ctx, actors[i], book); return err })
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
				err := fixture.RetryUnavailable(func() error { _, err := services[i%2].Return(f.Ctx, actors[i], book); return err })
				if err != nil && fixture.RefusalCode(err) != "not_your_loan" && fixture.RefusalCode(err) != "not_borrowed" {
					t.Errorf("Return: %v", err)
				}
			}
		}
	})
	for _, book := range books {
		fixture.WantConsistent(t, f, book)
	}
	zone, err := time.LoadLocation("America/New_York") // that of the last round
	fixture.WantError(t, err, nil)
	open, err := services[0].Loans(f.Ctx, admin, library.LoanQuery{})
	fixture.WantError(t, err, nil)
	for l, err := range open.All {
		fixture.WantError(t, err, nil)
		if at := l.Due.In(zone); !l.Due.IsZero() && at.Format(time.TimeOnly) != "23:59:59" {
			t.Errorf("a loan is due at %v, in the middle of a day", at)
		}
	}
}
