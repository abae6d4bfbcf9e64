package library

import (
	"testing"
	"time"
)

func inHand(copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.ReturnCopy(copyID, now) }
}
func atDesk(copyID, loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.TakeBack(copyID, loan, false, now) }
}
func dropOff(copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.DropOff(copyID, now) }
}
func lendSwapping(copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.LendCopy(copyID, true, false, now) }
}
func move(loan, copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.Move(loan, copyID, false, now) }
}
func exchange(loan, copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.Move(loan, copyID, true, now) }
}

func TestTheCopyInTheHandIsTheOneThatIsRecorded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, before, reader string
		ask                  Rule
		after                string // the same as before if the rule refuses
		event                ChangeKind
		swapped              bool
		err                  error
	}{
		{"a reader borrows the copy in hand, not the first", "free, free", "jane", lend("copy 2"), "free, lent jane", BookBorrowed, false, nil},
		{"a copy that somebody has by the records, while there is another", "lent jim, free", "jane", lend("copy 1"), "", "", false, ErrLentToAnother},
		{"or while another is lent, too", "lent jim, lent kate", "jane", lend("copy 1"), "", "", false, ErrLentToAnother},
		{"the only lendable copy is already borrowed", "lent jim, reference", "jane", lend("copy 1"), "", "", false, ErrBookBorrowed},
		{"the very copy that the reader has", "lent jane, free", "jane", lend("copy 1"), "", "", false, ErrHasIt},

		{"the desk swaps: the other loan moves to a free copy", "lent jim, free", "jane", lendSwapping("copy 1"), "lent jane, lent jim", BookBorrowed, true, nil},
		{"a free copy needs no swap", "free, lent jim", "jane", lendSwapping("copy 1"), "lent jane, lent jim", BookBorrowed, false, nil},
		{"without a free copy nothing moves", "lent jim, lent kate", "jane", lendSwapping("copy 1"), "", "", false, ErrLentToAnother},
		{"a copy that is set aside is not free", "lent jim, aside kate", "jane", lendSwapping("copy 1"), "", "", false, ErrLentToAnother},
		{"with one lendable copy it is already borrowed", "lent jim, lost", "jane", lendSwapping("copy 1"), "", "", false, ErrBookBorrowed},
		{"what is lent and not lendable any more is not lent again", "damaged lent jim, free", "jane", lendSwapping("copy 1"), "", "", false, ErrNotLendable},
		{"nobody gets a second copy by a swap", "lent jim, lent jane, free", "jane", lendSwapping("copy 1"), "", "", false, ErrHasIt},

		{"a reader gives back the copy that is recorded", "lent jane, free", "jane", inHand("copy 1"), "free, free", BookReturned, false, nil},
		{"a reader gives back another copy of the book", "lent jane, free", "jane", inHand("copy 2"), "free, free", BookReturned, true, nil},
		{"the copy in hand goes to the first who waits", "lent jane, lost; jim", "jane", inHand("copy 1"), "aside jim, lost", BookReturned, false, nil},
		{"a copy that is set aside stays so, and the other goes to the next", "lent jane, aside jim; kate", "jane", inHand("copy 2"), "aside kate, aside jim", BookReturned, true, nil},
		{"a copy that is not lent out stays what it is", "lent jane, reference", "jane", inHand("copy 2"), "free, reference", BookReturned, true, nil},
		{"a copy of somebody else is not the reader's", "lent jim, free", "jane", inHand("copy 1"), "", "", false, ErrNotYours},
		{"nor if the reader has another copy", "lent jim, lent jane", "jane", inHand("copy 1"), "", "", false, ErrNotYours},
		{"a copy that nobody has, of a reader without the book", "free, lent jim", "jane", inHand("copy 1"), "", "", false, ErrBookNotBorrowed},
		{"a copy that is gone", "lent jane", "jane", inHand("copy 7"), "", "", false, ErrUnknownCode},

		{"the desk takes back a copy", "lent jane, free", "jane", atDesk("copy 1", ""), "free, free", BookReturned, false, nil},
		{"the desk guesses nothing", "lent jane, free", "jane", atDesk("copy 2", ""), "", "", false, ErrBookNotBorrowed},
		{"the desk says whose copy it is", "lent jane, free", "jane", atDesk("copy 2", "loan of jane"), "free, free", BookReturned, true, nil},
		{"the loan of the very copy is an ordinary return", "lent jane, free", "jane", atDesk("copy 1", "loan of jane"), "free, free", BookReturned, false, nil},
		{"a copy that is set aside and in hand needs no fetching", "lent jane, aside jim", "jane", atDesk("copy 2", "loan of jane"), "free, aside jim fetched", BookReturned, true, nil},
		{"a copy that somebody else has is not the loan's", "lent jane, lent jim", "jane", atDesk("copy 2", "loan of jane"), "", "", false, ErrLentToAnother},
		{"a loan that has ended", "free, free", "jane", atDesk("copy 2", "loan of jane"), "", "", false, ErrNotOpen},

		{"a station takes back a copy, whoever has it", "lent jim, free", "jane", dropOff("copy 1"), "free, free", BookReturned, false, nil},
		{"for the next who waits, not fetched", "lent jim, lost; kate", "jane", dropOff("copy 1"), "aside kate, lost", BookReturned, false, nil},
		{"and puts no swap right", "lent jane, free", "jane", dropOff("copy 2"), "", "", false, ErrBookNotBorrowed},
		{"nor takes a copy that is gone", "lent jane", "jane", dropOff("copy 7"), "", "", false, ErrUnknownCode},

		{"a loan moves to another copy", "lent jane, free", "jane", move("loan of jane", "copy 2"), "free, lent jane", BookChanged, false, nil},
		{"to its own copy nothing moves", "lent jane, free", "jane", move("loan of jane", "copy 1"), "", "", false, nil},
		{"not to the copy of another person", "lent jane, lent jim", "jane", move("loan of jane", "copy 2"), "", "", false, ErrLentToAnother},
		{"but two loans exchange their copies", "lent jane, lent jim", "jane", exchange("loan of jane", "copy 2"), "lent jim, lent jane", BookChanged, false, nil},
		{"with a free copy an exchange is a move", "lent jane, free", "jane", exchange("loan of jane", "copy 2"), "free, lent jane", BookChanged, false, nil},
		{"not to a copy that is set aside", "lent jane, aside jim", "jane", move("loan of jane", "copy 2"), "", "", false, ErrReserved},
		{"not to a copy that is not lent", "lent jane, reference", "jane", move("loan of jane", "copy 2"), "", "", false, ErrNotLendable},
		{"a loan that has ended does not move", "free, free", "jane", move("loan of jane", "copy 2"), "", "", false, ErrNotOpen},
		{"nor to a copy that is not of this book", "lent jane", "jane", move("loan of jane", "copy 7"), "", "", false, ErrCopyNotFound},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if d := wantDecision(t, c.before, c.reader, c.ask, c.after, c.event, c.err); d.Swapped != c.swapped {
				t.Errorf("swapped %v, want %v", d.Swapped, c.swapped)
			}
		})
	}
}

func TestALoanThatMovesKeepsItsDatesAndIsNotRenewed(t *testing.T) {
	t.Parallel()
	given := situation(t, "lent jane, lent jim", DefaultPolicy(), "jane")
	given.Copies[0].Loan.Renewals = 2
	d, err := given.Move("loan of jane", "copy 2", true, monday)
	if err != nil || len(d.Changed) != 2 {
		t.Fatalf("%d loans changed, %v", len(d.Changed), err)
	}
	for _, l := range d.Changed {
		before := given.Copies[0].Loan
		if l.ID != before.ID {
			before = given.Copies[1].Loan
		}
		if l.CopyID == before.CopyID || !l.Due.Equal(before.Due) || !l.Since.Equal(before.Since) || l.Renewals != before.Renewals || l.Borrower != before.Borrower {
			t.Errorf("%+v has become %+v", before, l)
		}
		if d.LoanStep(l) != OtherStep {
			t.Errorf("step %v of a loan that was moved", d.LoanStep(l))
		}
	}
	if d.Loan.ID != "loan of jane" || d.Loan.CopyID != "copy 2" {
		t.Errorf("the answer is about %+v", d.Loan)
	}
}
