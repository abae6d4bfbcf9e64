// Package linearizability records what concurrent readers are answered, and checks with
// porcupine that some order of the steps explains every answer. Start reading at
// [LendingModel], which other tests use for histories of their own; queue_model.go is
// the same for books with two copies and a queue.
package linearizability

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/service"
	"example.org/library/storetest/fixture"
)

// Rules are about histories of concurrent callers.
var Rules = []fixture.Rule{
	{"lending is linearizable", lendingIsLinearizable},
	{"lending and waiting are linearizable", queueIsLinearizable},
}

// lendingIsLinearizable records what several readers were answered while they
// borrowed, returned, deleted and looked at the same books through two handles,
// and checks that some order of it all explains every answer.
func lendingIsLinearizable(t *testing.T, f fixture.Store) {
	const readers, books, steps = 4, 3, 30
	actors := f.AddReaders(t, readers)
	services := f.TwoServices(t)
	var ids []string
	for range books {
		ids = append(ids, f.AddBook(t, "Emma").ID)
	}
	h := history{start: time.Now()}
	fixture.Concurrently(readers, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 42))
		for range steps {
			in := lending{Step{acts[r.IntN(len(acts))], ids[r.IntN(books)], actors[i].User.ID}, actors[i]}
			if !h.do(t, i, in.Step, func() (string, error) { return in.do(f, services[i%2]) }) {
				return
			}
		}
	})
	h.check(t, LendingModel)
}

// acts is what readers do; most of the time they lend.
var acts = []string{"borrow", "return", "borrow", "return", "look", "borrow", "return", "delete"}

// lending is a step of a reader at a store.
type lending struct {
	Step
	actor library.Actor
}

// do performs one act and returns the answer as a word: who has the book, or
// the code of the refusal.
func (l lending) do(f fixture.Store, s *service.Service) (string, error) {
	var (
		b   library.Book
		err error
	)
	switch l.Act {
	case "borrow":
		b, err = s.Borrow(f.Ctx, l.actor, l.Book)
	case "return":
		b, err = s.Return(f.Ctx, l.actor, l.Book)
	case "delete":
		if err = s.DeleteBook(f.Ctx, l.actor, l.Book, nil); err == nil {
			return Gone, nil
		}
	case "look":
		b, err = s.Book(f.Ctx, l.actor, l.Book)
	}
	var refusal *library.Error
	switch {
	case errors.As(err, &refusal):
		return refusal.Code, nil
	case err != nil || b.Loan == nil:
		return Free, err
	}
	return b.Loan.Borrower.ID, nil
}
