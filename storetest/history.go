package storetest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"example.org/library"
)

// lendingIsLinearizable records what several readers were told while they
// borrowed, returned, deleted and looked at the same books through two handles,
// and checks that some order of it all explains every answer.
func lendingIsLinearizable(t *testing.T, f fixture) {
	const readers, books, steps = 4, 3, 30
	actors := f.addReaders(t, readers)
	services := []*library.Service{library.NewService(f), library.NewService(f.open(t))}
	var ids []string
	for range books {
		ids = append(ids, f.addBook(t, "Emma").ID)
	}
	var (
		mu      sync.Mutex
		history []porcupine.Operation
		start   = time.Now()
	)
	together(readers, func(i int) {
		r := rand.New(rand.NewPCG(uint64(i), 42))
		for range steps {
			in := lending{book: ids[r.IntN(books)], actor: actors[i], act: acts[r.IntN(len(acts))]}
			called := time.Since(start)
			out, err := in.do(f, services[i%2])
			if err != nil {
				t.Errorf("%s: %v", in.act, err)
				return
			}
			mu.Lock()
			history = append(history, porcupine.Operation{
				ClientId: i, Input: in, Output: out, Call: int64(called), Return: int64(time.Since(start)),
			})
			mu.Unlock()
		}
	})
	if result := porcupine.CheckOperationsTimeout(lendingModel, history, 30*time.Second); result != porcupine.Ok {
		t.Errorf("%d answers cannot be explained: %v", len(history), result)
	}
}

// acts is what readers do; most of the time they lend.
var acts = []string{"borrow", "return", "borrow", "return", "look", "borrow", "return", "delete"}

type lending struct {
	act   string
	book  string
	actor library.Actor
}

// do performs one act and returns the answer as a word: who has the book, or
// the code of the refusal.
func (l lending) do(f fixture, s *library.Service) (string, error) {
	var (
		b   library.Book
		err error
	)
	switch l.act {
	case "borrow":
		b, err = s.Borrow(f.ctx, l.actor, l.book)
	case "return":
		b, err = s.Return(f.ctx, l.actor, l.book)
	case "delete":
		if err = s.DeleteBook(f.ctx, l.actor, l.book, nil); err == nil {
			return gone, nil
		}
	case "look":
		b, err = s.Book(f.ctx, l.actor, l.book)
	}
	var refusal *library.Error
	switch {
	case errors.As(err, &refusal):
		return refusal.Code, nil
	case err != nil || b.Loan == nil:
		return free, err
	}
	return b.Loan.Borrower.ID, nil
}

// A book is free, gone, or with the user of that identifier.
const free, gone = "free", "gone"

// lendingModel is the rules of lending for one book, on one page.
var lendingModel = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byBook := make(map[string][]porcupine.Operation)
		for _, op := range history {
			book := op.Input.(lending).book
			byBook[book] = append(byBook[book], op)
		}
		var parts [][]porcupine.Operation
		for _, part := range byBook {
			parts = append(parts, part)
		}
		return parts
	},
	Init: func() any { return free },
	Step: func(state, input, output any) (bool, any) {
		answer, next := lendingStep(state.(string), input.(lending))
		return answer == output.(string), next
	},
}

// lendingStep is the right answer, and where the book is then.
func lendingStep(state string, in lending) (answer, next string) {
	me := in.actor.User.ID
	switch {
	case state == gone:
		return library.ErrBookNotFound.Code, gone
	case in.act == "look":
		return state, state
	case in.act == "delete" && state == free:
		return gone, gone
	case in.act == "delete":
		return library.ErrBookOnLoan.Code, state
	case in.act == "borrow" && (state == free || state == me):
		return me, me
	case in.act == "borrow":
		return library.ErrBookBorrowed.Code, state
	case state == free:
		return library.ErrBookNotBorrowed.Code, free
	case state == me:
		return free, free
	default:
		return library.ErrNotYourLoan.Code, state
	}
}
