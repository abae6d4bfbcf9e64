package linearizability

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// Both limits of a reader: three loans by the policy, and two of films by the rule Films.
const (
	maxLoans  = 3
	maxFilms  = 2
	filmsRule = "Films"
)

// limitsAreLinearizable records the answers to sixteen callers, four for each of four readers, while
// they borrow and return the reader's own three films and three books through two handles.
func limitsAreLinearizable(t *testing.T, f fixture.Store) {
	const readers, callers, steps = 4, 16, 15
	actors, services := f.AddReaders(t, readers), f.TwoServices(t)
	f.SetPolicy(t, services[0], actors[0], func(p *library.Policy) {
		p.MaxLoans = maxLoans
		p.Rules = []library.PolicyRule{{Name: filmsRule, Kinds: []string{library.KindFilm}, MaxLoans: new(maxFilms)}}
	})
	var ids [readers][len(titles{})]string
	for i := range ids {
		for n := range ids[i] {
			b := fixture.NewBook(library.BookFields{Title: "Emma", Authors: []string{"Jane Austen"}, Kind: kindOf(n)})
			f.AddBooks(t, b)
			ids[i][n] = b.ID
		}
	}
	h := history{start: time.Now()}
	fixture.Concurrently(callers, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 13))
		own := ids[i%readers]
		c := taker{f: f, service: services[i/readers%2], me: actors[i%readers], books: own[:]}
		for range steps {
			in := taking{act: []string{"borrow", "borrow", "borrow", "return", "look"}[r.IntN(5)], reader: i % readers, book: r.IntN(len(own))}
			do := func() (out string, err error) {
				err = fixture.RetryUnavailable(func() error { out, err = c.do(in); return err })
				return out, err
			}
			if !h.do(t, i, in, do) {
				return
			}
		}
	})
	h.check(t, limitsModel)
}

// titles reports which of a reader's books are on loan: films first, then books.
type titles [6]bool

const films = len(titles{}) / 2

func kindOf(n int) string {
	if n < films {
		return library.KindFilm
	}
	return library.KindBook
}

// taking is a step of a reader with the book at a place.
type taking struct {
	act    string
	reader int
	book   int
}

// taker is one of the callers who act for a reader.
type taker struct {
	f       fixture.Store
	service *service.Service
	me      library.Actor
	books   []string
}

// do performs a step and returns the code of a refusal with its rule, or the answer.
func (c taker) do(in taking) (answer string, err error) {
	switch in.act {
	case "borrow":
		_, err = c.service.Borrow(c.f.Ctx, c.me, c.books[in.book])
		answer = "lent"
	case "return":
		_, err = c.service.Return(c.f.Ctx, c.me, c.books[in.book])
		answer = "returned"
	case "look":
		return c.look()
	}
	if refusal, ok := errors.AsType[*library.Error](err); ok && !errors.Is(err, library.ErrUnavailable) {
		return refusal.Code + refusal.Rule, nil
	}
	return answer, err
}

// look returns which of the reader's books are on loan.
func (c taker) look() (string, error) {
	list, err := c.service.Loans(c.f.Ctx, c.me, library.LoanQuery{UserID: c.me.User.ID})
	if err != nil {
		return "", err
	}
	var on titles
	for l, err := range list.All {
		if err != nil {
			return "", err
		}
		on[slices.Index(c.books, l.Book.ID)] = true
	}
	return fmt.Sprint(on), nil
}

// limitsModel is what one reader has. Readers do not depend on each other.
var limitsModel = porcupine.Model{
	Partition: partition(func(input any) string { return fmt.Sprint(input.(taking).reader) }),
	Init:      func() any { return titles{} },
	Step: func(state, input, output any) (bool, any) {
		answer, next := input.(taking).step(state.(titles))
		return output == answer, next
	},
}

// step returns the right answer, and what the reader has then.
func (in taking) step(on titles) (answer string, next titles) {
	count := func(places []bool) int { return fixture.Count(places, func(lent bool) bool { return lent }) }
	switch {
	case in.act == "look":
		return fmt.Sprint(on), on
	case in.act == "return" && !on[in.book]:
		return library.ErrBookNotBorrowed.Code, on
	case in.act == "return":
		on[in.book] = false
		return "returned", on
	case on[in.book]:
		return "lent", on
	case in.book < films && count(on[:films]) >= maxFilms:
		return library.ErrLoanLimit.Code + filmsRule, on
	case count(on[:]) >= maxLoans:
		return library.ErrLoanLimit.Code, on
	default:
		on[in.book] = true
		return "lent", on
	}
}
