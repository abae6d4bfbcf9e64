package linearizability

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// copiesAreLinearizable records the answers to several readers, each with a desk beside them, while
// they borrow and return the copies in their hands, swap and move them, and look at the open loans of
// books of three copies each, through two handles.
func copiesAreLinearizable(t *testing.T, f fixture.Store) {
	const readers, books, steps = 5, 2, 40
	actors, services := f.AddReaders(t, readers), f.TwoServices(t)
	var people []string
	for _, a := range actors {
		people = append(people, a.User.ID)
	}
	var shelves []bookOfCopies
	for range books {
		b := bookOfCopies{id: f.AddBookWithCopies(t, services[0], actors[0], len(copies{}))}
		held, err := services[0].Copies(f.Ctx, actors[0], b.id)
		fixture.WantError(t, err, nil)
		for i, c := range held {
			b.copies[i] = c.ID
		}
		shelves = append(shelves, b)
	}
	h := history{start: time.Now()}
	fixture.Concurrently(readers, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 11))
		me := library.Actor{User: actors[i].User, Authorities: []string{library.RoleUser.Authority()}}
		c := borrower{f: f, service: services[i%2], me: me, desk: actors[i], people: people, seen: map[string][]string{}}
		for range steps {
			b := shelves[r.IntN(books)]
			in := c.choose(r, b)
			do := func() (out string, err error) {
				err = fixture.RetryUnavailable(func() error { out, err = c.do(b, in); return err })
				return out, err
			}
			if !h.do(t, i, in, do) {
				return
			}
		}
	})
	h.check(t, copiesModel)
	for _, b := range shelves {
		fixture.WantConsistent(t, f, b.id)
	}
}

// bookOfCopies is a book with the identifiers of its copies.
type bookOfCopies struct {
	id     string
	copies [len(copies{})]string
}

// handling is a step: of a reader with a copy in hand, or of the desk.
type handling struct {
	act, book, who string
	copy           int    // its place among the copies of the book
	loan           string // identifier; "" for none
	swap           bool
}

// borrower is a reader with a desk, who remembers the loans of each book.
type borrower struct {
	f        fixture.Store
	service  *service.Service
	me, desk library.Actor
	people   []string
	seen     map[string][]string
}

// handlings are the acts of a borrower; the desk does the last four.
var handlings = []string{"borrow", "take", "take", "bring", "bring", "return", "look", "look", "lend", "receive", "claim", "move", "move"}

func (c *borrower) choose(r *rand.Rand, b bookOfCopies) handling {
	in := handling{act: handlings[r.IntN(len(handlings))], book: b.id, who: c.me.User.ID, copy: r.IntN(len(b.copies)), swap: r.IntN(2) == 0}
	switch loans := c.seen[b.id]; {
	case in.act == "lend":
		in.who = c.people[r.IntN(len(c.people))]
	case in.act != "claim" && in.act != "move":
	case len(loans) == 0:
		in.act = "look"
	default:
		in.loan = loans[r.IntN(len(loans))]
	}
	return in
}

// do performs an act and returns the code of a refusal, or a description of the loan.
func (c *borrower) do(b bookOfCopies, in handling) (answer string, err error) {
	ctx, s, copyID := c.f.Ctx, c.service, b.copies[in.copy]
	var l library.Loan
	swapped := false
	switch in.act {
	case "look":
		return c.look(b)
	case "borrow":
		var borrowed library.Book
		if borrowed, err = s.Borrow(ctx, c.me, b.id); err == nil {
			l = *borrowed.Loan
		}
	case "return":
		_, err = s.Return(ctx, c.me, b.id)
	case "take", "lend":
		var lent service.LentLoan
		if in.act == "take" {
			lent, err = s.Lend(ctx, c.me, service.Lending{CopyID: copyID})
		} else {
			lent, err = s.Lend(ctx, c.desk, service.Lending{UserID: in.who, CopyID: copyID, Swap: in.swap})
		}
		l, swapped = lent.Loan, lent.Swapped
	case "bring", "receive", "claim":
		caller := c.desk
		if in.act == "bring" {
			caller = c.me
		}
		var returned service.ReturnedLoan
		returned, err = s.ReturnCopy(ctx, caller, service.Returning{CopyID: copyID, LoanID: in.loan})
		l, swapped = returned.Loan, returned.Swapped
	case "move":
		l, err = s.MoveLoan(ctx, c.desk, in.loan, service.Moving{CopyID: copyID, Swap: in.swap})
	}
	if refusal, ok := errors.AsType[*library.Error](err); ok && !errors.Is(err, library.ErrUnavailable) {
		return refusal.Code, nil
	}
	if err != nil || l.ID == "" {
		return "", err
	}
	c.seen[b.id] = append(c.seen[b.id], l.ID)
	return described(l.ID, slices.Index(b.copies[:], l.CopyID), swapped), nil
}

func described(loan string, copy int, swapped bool) string {
	return fmt.Sprintf("loan %s, copy %d, swapped %t", loan, copy, swapped)
}

// look returns the open loans of a book.
func (c *borrower) look(b bookOfCopies) (string, error) {
	list, err := c.service.Loans(c.f.Ctx, c.desk, library.LoanQuery{BookID: b.id})
	if err != nil {
		return "", err
	}
	var open copies
	for l, err := range list.All {
		if err != nil {
			return "", err
		}
		i := slices.Index(b.copies[:], l.CopyID)
		if open[i].loan != "" {
			return "two loans of one copy", nil
		}
		open[i] = lentCopy{l.ID, l.Borrower.ID}
		c.seen[b.id] = append(c.seen[b.id], l.ID)
	}
	return fmt.Sprint(open), nil
}
