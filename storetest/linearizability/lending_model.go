package linearizability

import (
	"github.com/anishathalye/porcupine"

	"example.org/library"
)

// Step is one thing that a reader does with a book of one copy: borrow, return,
// delete or look.
type Step struct{ Act, Book, Reader string }

// Answers to a step. The others are the identifier of the reader who has the book, and
// codes of refusals.
const (
	Free = "free" // nobody has the book
	Gone = "gone" // there is no such book any more

	// Unheard is for a step whose answer was lost: it may have happened at any time
	// after its call, or never.
	Unheard = ""
)

// LendingModel is the rules of lending for a book with one copy.
var LendingModel = porcupine.Model{
	Partition: partition(func(input any) string { return input.(Step).Book }),
	Init:      func() any { return Free },
	Step: func(state, input, output any) (bool, any) {
		answer, next := input.(Step).step(state.(string))
		return output == Unheard || answer == output, next
	},
}

// step is the right answer, and where the book is then.
func (l Step) step(state string) (answer, next string) {
	switch {
	case state == Gone:
		return library.ErrBookNotFound.Code, Gone
	case l.Act == "look":
		return state, state
	case l.Act == "delete" && state == Free:
		return Gone, Gone
	case l.Act == "delete":
		return library.ErrBookOnLoan.Code, state
	case l.Act == "borrow" && (state == Free || state == l.Reader):
		return l.Reader, l.Reader
	case l.Act == "borrow":
		return library.ErrBookBorrowed.Code, state
	case state == Free:
		return library.ErrBookNotBorrowed.Code, Free
	case state == l.Reader:
		return Free, Free
	default:
		return library.ErrNotYourLoan.Code, state
	}
}
