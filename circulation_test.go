package library

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// monday is a Monday morning, and Friday is the end of the week on which the
// copies that are set aside are to be fetched.
var (
	monday = time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC)
	emma   = Book{ID: "emma", BookFields: BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}, Version: "1"}
)

// The rules, asked for the reader whose name the table gives.
var (
	borrow  = Circulation.Borrow
	giveIn  = Circulation.Return
	hold    = Circulation.PlaceHold
	passing = Circulation.Settle
)

func lend(copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.LendCopy(copyID, false, false, now) }
}
func takeBack(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.ReturnLoan(loan, true, false, now) }
}
func renew(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.Renew(loan, now) }
}
func cancel(hold string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.CancelHold(hold, now) }
}
func fetch(hold string, fetched bool) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.FetchHold(hold, fetched, now) }
}
func giveInLoan(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.ReturnLoan(loan, false, false, now) }
}
func add(state CopyState) Rule {
	return func(c Circulation, now time.Time) (Decision, error) {
		return c.AddCopy(Copy{ID: "new", BookID: emma.ID, CopyFields: CopyFields{State: state}, Version: "1"}, now)
	}
}
func mark(copyID string, state CopyState) Rule {
	return func(c Circulation, now time.Time) (Decision, error) {
		return c.EditCopy(copyID, CopyFields{State: state}, nil, now)
	}
}
func remove(copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.RemoveCopy(copyID, nil, now) }
}

func TestTheRulesOfLending(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		before string
		reader string
		ask    Rule
		after  string // the same as before if the rule refuses
		event  ChangeKind
		err    error
	}{
		{"a copy that nobody has is lent", "free", "jane", borrow, "lent jane", BookBorrowed, nil},
		{"the first free copy is lent", "lent jim, free, free", "jane", borrow, "lent jim, lent jane, free", BookBorrowed, nil},
		{"who has the book already keeps that loan", "lent jane, free", "jane", borrow, "lent jane, free", "", nil},
		{"a copy that somebody has is not lent", "lent jim", "jane", borrow, "", "", ErrBookBorrowed},
		{"a copy that is set aside is lent to its holder", "aside jane, lent jim", "jane", borrow, "lent jane, lent jim", BookBorrowed, nil},
		{"a copy that is set aside is lent to nobody else", "aside jim, lent kate", "jane", borrow, "", "", ErrReserved},
		{"a reader who waits gets that reason, and keeps the place", "lent jim; jane", "jane", borrow, "", "", ErrReserved},
		{"who waits does not get the copy of another", "aside jim; jane", "jane", borrow, "", "", ErrReserved},
		{"what stays in the library is not lent", "reference", "jane", borrow, "", "", ErrNotLendable},
		{"what is lost or damaged is not lent", "lost, damaged", "jane", borrow, "", "", ErrNotLendable},
		{"a book without copies is not lent", "none", "jane", borrow, "", "", ErrNotLendable},
		{"a book of which only a lost copy is out is not lent", "lost lent jim", "jane", borrow, "", "", ErrNotLendable},
		{"a hold that was not fetched in time is no obstacle", "aside jim late", "jane", borrow, "lent jane", BookBorrowed, nil},
		{"who comes too late and is first again gets the copy like anybody", "aside jane late", "jane", borrow, "lent jane", BookBorrowed, nil},
		{"who comes too late is refused if others wait", "aside jane late; jim", "jane", borrow, "", "", ErrReserved},
		{"who is next has the copy that was not fetched", "aside jane late; jim", "jim", borrow, "lent jim", BookBorrowed, nil},

		{"the desk lends the copy that is there", "free, free", "jane", lend("copy 2"), "free, lent jane", BookBorrowed, nil},
		{"the desk lends whichever copy is free", "lent jim, free", "jane", lendOne, "lent jim, lent jane", BookBorrowed, nil},
		{"the desk lends nobody a second copy", "lent jane, free", "jane", lend("copy 2"), "", "", ErrHasIt},
		{"nor whichever is free", "lent jane, free", "jane", lendOne, "", "", ErrHasIt},
		{"the desk does not lend what is set aside for another", "aside jim", "jane", lend("copy 1"), "", "", ErrReserved},
		{"the desk does not lend what somebody has", "lent jim", "jane", lend("copy 1"), "", "", ErrBookBorrowed},
		{"the desk does not lend what stays in the library", "reference, free", "jane", lend("copy 1"), "", "", ErrNotLendable},
		{"the desk knows its copies", "free", "jane", lend("copy 7"), "", "", ErrCopyNotFound},
		{"the desk knows its readers", "free", "", lend("copy 1"), "", "", ErrUserNotFound},
		{"a holder who takes another copy leaves the one that was set aside", "aside jane, free", "jane", lend("copy 2"), "free, lent jane", BookBorrowed, nil},

		{"a borrower returns the book", "lent jane", "jane", giveIn, "free", BookReturned, nil},
		{"nobody returns the book of somebody else", "lent jim", "jane", giveIn, "", "", ErrNotYourLoan},
		{"a book that nobody has cannot be returned", "free", "jane", giveIn, "", "", ErrBookNotBorrowed},
		{"a copy that comes back is set aside for the first who waits", "lent kate; jane jim", "kate", giveIn, "aside jane; jim", BookReturned, nil},
		{"the desk takes back the loan of any reader", "lent jim; jane", "jim", takeBack("loan of jim"), "aside jane fetched", BookReturned, nil},
		{"what a reader gives back is still to be fetched", "lent jim; jane", "jim", giveInLoan("loan of jim"), "aside jane", BookReturned, nil},
		{"a loan ends once", "free", "jim", takeBack("loan of jim"), "", "", ErrNotOpen},
		{"a lost copy that comes back stays lost", "lost lent jim; jane", "jim", giveIn, "lost; jane", BookReturned, nil},

		{"a loan is renewed", "lent jane", "jane", renew("loan of jane"), "lent jane", BookChanged, nil},
		{"a loan is not renewed while somebody waits", "lent jane; jim", "jane", renew("loan of jane"), "", "", ErrAwaited},
		{"a loan is renewed while a copy is set aside for the reader who waited", "lent jane, aside jim", "jane", renew("loan of jane"), "lent jane, aside jim", BookChanged, nil},
		{"a loan that has ended is not renewed", "free", "jane", renew("loan of jane"), "", "", ErrNotOpen},

		{"a book that is lent is reserved", "lent jim", "jane", hold, "lent jim; jane", BookChanged, nil},
		{"who asks later stands further behind", "lent kate; jane", "jim", hold, "lent kate; jane jim", BookChanged, nil},
		{"a book whose free copies are all set aside is reserved", "aside jane", "jim", hold, "aside jane; jim", BookChanged, nil},
		{"what is on the shelf is not reserved", "free, lent jim", "jane", hold, "", "", ErrAvailable},
		{"what one has is not reserved", "lent jane", "jane", hold, "", "", ErrHasIt},
		{"nobody waits twice", "lent kate; jane", "jane", hold, "", "", ErrAlreadyHeld},
		{"nobody waits for a copy that stands there for them", "aside jane", "jane", hold, "", "", ErrAlreadyHeld},
		{"what is never lent is not reserved", "reference, lost", "jane", hold, "", "", ErrNotLendable},

		{"who cancels leaves the queue", "lent kate; jane jim", "jane", cancel("hold of jane"), "lent kate; jim", BookChanged, nil},
		{"a copy whose hold is cancelled goes to the next", "aside jane; jim kate", "jane", cancel("hold of jane"), "aside jim; kate", BookChanged, nil},
		{"a copy whose hold is cancelled goes back to the shelf", "aside jane", "jane", cancel("hold of jane"), "free", BookChanged, nil},
		{"a hold ends once", "free", "jane", cancel("hold of jane"), "", "", ErrNotActive},
		{"a hold that has expired is not cancelled", "aside jane late", "jane", cancel("hold of jane"), "", "", ErrNotActive},
		{"a hold that is not fetched expires and the next is served", "aside jane late; jim kate", "", passing, "aside jim; kate", BookChanged, nil},
		{"a hold that can be fetched stays", "aside jane; jim", "", passing, "aside jane; jim", "", nil},
		{"a free copy goes to the reader who waits", "free; jane", "", passing, "aside jane", BookChanged, nil},

		{"a copy that is set aside is fetched", "aside jane; jim", "", fetch("hold of jane", true), "aside jane fetched; jim", BookChanged, nil},
		{"a copy is fetched once", "aside jane fetched", "", fetch("hold of jane", true), "aside jane fetched", "", nil},
		{"a copy was not fetched after all", "aside jane fetched", "", fetch("hold of jane", false), "aside jane", BookChanged, nil},
		{"nothing is fetched for who waits", "lent kate; jane", "", fetch("hold of jane", true), "", "", ErrNotReady},
		{"nothing is fetched for who came too late", "aside jane late; jim", "", fetch("hold of jane", true), "", "", ErrNotReady},
		{"nothing is fetched for a hold that has ended", "free", "", fetch("hold of jane", true), "", "", ErrNotReady},
		{"a copy that goes to the next is to be fetched again", "aside jane fetched; jim", "jane", cancel("hold of jane"), "aside jim", BookChanged, nil},
		{"another copy is to be fetched for the same hold", "aside jane fetched, free", "", remove("copy 1"), "aside jane", BookChanged, nil},
		{"a hold that goes back to the front has nothing fetched", "aside jane fetched, lent kate", "", mark("copy 1", Damaged), "damaged, lent kate; jane", BookChanged, nil},

		{"a new copy goes to the shelf", "lent jim", "", add(Lendable), "lent jim, free", BookChanged, nil},
		{"a new copy is set aside for the first who waits", "lent kate; jane jim", "", add(Lendable), "lent kate, aside jane; jim", BookChanged, nil},
		{"a new copy that stays in the library serves nobody", "lent kate; jane", "", add(Reference), "lent kate, reference; jane", BookChanged, nil},
		{"a copy that was found is set aside for the first who waits", "lost, lent kate; jane", "", mark("copy 1", Lendable), "aside jane, lent kate", BookChanged, nil},
		{"a hold whose copy is damaged goes back to the front", "aside jane, lent kate; jim", "", mark("copy 1", Damaged), "damaged, lent kate; jane jim", BookChanged, nil},
		{"a hold whose copy is removed goes back to the front", "aside jane, lent kate; jim", "", remove("copy 1"), "lent kate; jane jim", BookChanged, nil},
		{"a hold whose copy is removed gets another that is free", "aside jane, free", "", remove("copy 1"), "aside jane", BookChanged, nil},
		{"what was due by itself comes first", "aside jane late, aside jim; kate", "", mark("copy 2", Lost), "aside kate, lost; jim", BookChanged, nil},
		{"a lent copy may be marked as lost; the loan stays", "lent jim", "", mark("copy 1", Lost), "lost lent jim", BookChanged, nil},
		{"a lent copy cannot become a reference copy", "lent jim", "", mark("copy 1", Reference), "", "", ErrCopyOnLoan},
		{"a lent copy cannot be removed", "lent jim", "", remove("copy 1"), "", "", ErrCopyOnLoan},
		{"a copy that is not there cannot be changed", "free", "", mark("copy 7", Lost), "", "", ErrCopyNotFound},
		{"who is removed leaves the queue", "lent kate; jane jim", "jane", Circulation.CancelHolds, "lent kate; jim", BookChanged, nil},
		{"the copy of one who is removed goes to the next", "aside jane; jim", "jane", Circulation.CancelHolds, "aside jim", BookChanged, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			wantDecision(t, c.before, c.reader, c.ask, c.after, c.event, c.err)
		})
	}
}

func TestTheRulesOfThePolicy(t *testing.T) {
	t.Parallel()
	with := func(change func(*Policy)) Policy {
		p := DefaultPolicy()
		change(&p)
		return p
	}
	strict := with(func(p *Policy) { p.MaxLoans, p.MaxHolds, p.BlockOverdue = 5, 3, true })
	for _, c := range []struct {
		rule   string
		policy Policy
		before string
		reader Reader
		ask    Rule
		err    error
	}{
		{"a reader below the limit borrows", strict, "free", Reader{Loans: 4}, borrow, nil},
		{"a reader at the limit does not", strict, "free", Reader{Loans: 5}, borrow, ErrLoanLimit},
		{"not even what is set aside", strict, "aside jane", Reader{Loans: 5}, borrow, ErrLoanLimit},
		{"nor at the desk", strict, "free", Reader{Loans: 5}, lend("copy 1"), ErrLoanLimit},
		{"what one has already one still has", strict, "lent jane", Reader{Loans: 5}, borrow, nil},
		{"without a limit a reader has any number", DefaultPolicy(), "free", Reader{Loans: 5000}, borrow, nil},
		{"a reader with something overdue does not borrow", strict, "free", Reader{Overdue: 1}, borrow, ErrHasOverdue},
		{"nor renew", strict, "lent jane", Reader{Overdue: 1}, renew("loan of jane"), ErrHasOverdue},
		{"but may where the library does not mind", DefaultPolicy(), "free", Reader{Overdue: 1}, borrow, nil},
		{"a reader below the limit reserves", strict, "lent jim", Reader{Holds: 2}, hold, nil},
		{"a reader at the limit does not reserve", strict, "lent jim", Reader{Holds: 3}, hold, ErrHoldLimit},
		{"one whose hold of this book has expired may reserve it again", strict, "aside jane late, lent kate; jim", Reader{Holds: 2}, hold, nil},
		{"where loans are not renewed, they are not", with(func(p *Policy) { p.Renewals = 0 }), "lent jane", Reader{}, renew("loan of jane"), ErrRenewalLimit},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			given := situation(t, c.before, c.policy, "jane")
			c.reader.Person = person("jane")
			given.Reader = c.reader
			if _, err := c.ask(given, monday); !errors.Is(err, c.err) {
				t.Errorf("error %v, want %v", err, c.err)
			}
		})
	}
}

func TestDatesOfLoansAndHolds(t *testing.T) {
	t.Parallel()
	policy := DefaultPolicy()
	policy.LoanDays, policy.HoldDays, policy.ClosedWeekdays = 14, 4, []time.Weekday{time.Sunday}
	free := situation(t, "free", policy, "jane")

	d, err := free.Borrow(monday)
	due := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC)
	if err != nil || !d.Loan.Due.Equal(due) || !d.Loan.Since.Equal(monday) || d.Loan.Overdue || d.Loan.Renewable {
		t.Fatalf("borrowed on Monday: %+v, %v; want it due at %s", d.Loan, err, due)
	}
	lent := free.apply(d)
	d, err = lent.Renew(d.Loan.ID, monday.AddDate(0, 0, 3))
	if want := time.Date(2026, 12, 3, 23, 59, 59, 0, time.UTC); err != nil || !d.Loan.Due.Equal(want) || d.Loan.Renewals != 1 {
		t.Errorf("renewed on Thursday: %+v, %v; want it due at %s", d.Loan, err, want)
	}
	lent.Policy.LoanDays = 3
	loan := d.Loan.ID
	if _, err = lent.Renew(loan, monday); !errors.Is(err, ErrTooEarly) {
		t.Errorf("renewed under a shorter policy: %v", err)
	}
	lent.Policy.LoanDays = 0
	d, err = lent.Renew(loan, monday)
	if err != nil || !d.Loan.Due.IsZero() {
		t.Errorf("renewed where loans have no end: due %s, %v", d.Loan.Due, err)
	}
	lent = lent.apply(d)
	if _, err = lent.Renew(loan, monday); !errors.Is(err, ErrTooEarly) {
		t.Errorf("renewed once more where loans have no end: %v", err)
	}
	lent.Policy.LoanDays = 14
	d, err = lent.Renew(d.Loan.ID, monday)
	if err != nil || !d.Loan.Due.Equal(due) {
		t.Errorf("without a due date, renewed where loans have one: due %s, %v; want %s", d.Loan.Due, err, due)
	}

	d, err = situation(t, "lent kate; jane", policy, "kate").Return(monday)
	if want := time.Date(2026, 11, 20, 23, 59, 59, 0, time.UTC); err != nil || !d.Hold.Until.Equal(want) || d.Hold.Holder.ID != "jane" {
		t.Errorf("set aside on Monday: %+v, %v; want it until %s", d.Hold, err, want)
	}
}

// A hold can be fetched up to its last moment, and no longer.
func TestALastMoment(t *testing.T) {
	t.Parallel()
	c := situation(t, "aside jane; jim", DefaultPolicy(), "jane")
	until := c.Copies[0].Hold.Until
	if _, err := c.Borrow(until); err != nil {
		t.Errorf("at the last moment: %v", err)
	}
	if _, err := c.Borrow(until.Add(time.Microsecond)); !errors.Is(err, ErrReserved) {
		t.Errorf("after it: %v", err)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	t.Parallel()
	renewed := situation(t, "lent jane", DefaultPolicy(), "jane")
	renewed.Copies[0].Loan.Renewals = 2
	overdue := situation(t, "lent jane; jim", DefaultPolicy(), "jane")
	overdue.Copies[0].Loan.Due = monday.AddDate(0, 0, -3)
	early := situation(t, "lent jane", DefaultPolicy(), "jane")
	early.Copies[0].Loan.Due = DefaultPolicy().plainDue(monday)
	endless := situation(t, "lent jane", DefaultPolicy(), "jane")
	endless.Copies[0].Loan.Due, endless.Policy.LoanDays = time.Time{}, 0
	limited := situation(t, "free", DefaultPolicy(), "jane")
	limited.Policy.MaxLoans, limited.Reader.Loans = 1, 1
	for _, c := range []struct {
		given Circulation
		ask   Rule
		want  string
	}{
		{situation(t, "lent jane; jim kate", DefaultPolicy(), "jane"), renew("loan of jane"), "Two people are waiting for this book; you can keep it until Monday, 7 December."},
		{overdue, renew("loan of jane"), "One person is waiting for this book; it was due on Friday, 13 November, please return it."},
		{renewed, renew("loan of jane"), "The loan was renewed two times already; you can keep it until Monday, 7 December."},
		{situation(t, "lent kate; jane jim", DefaultPolicy(), "jim"), borrow, "You are number 2 in the queue for this book; a copy will be set aside for you when it is your turn."},
		{situation(t, "lent kate", DefaultPolicy(), "jane"), borrow, "The book is already borrowed."},
		{situation(t, "lent kate; jim", DefaultPolicy(), "jane"), borrow, "The book is already borrowed; the next copy is due on Monday, 7 December. You can reserve it."},
		{situation(t, "lent kate, lent jim", DefaultPolicy(), "jane"), borrow, "The book is already borrowed; the next copy is due on Monday, 7 December. You can reserve it."},
		{early, renew("loan of jane"), "Today a renewal would not move the due date, Monday, 14 December; it does from Tuesday, 17 November on."},
		{endless, renew("loan of jane"), "The loan has no due date, so there is nothing to renew."},
		{limited, borrow, "You may have one book at a time; return one first."},
	} {
		if _, err := c.ask(c.given, monday); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// Without a history the person is forgotten with the return, but the answer to the
// return still has the name.
func TestNothingIsKeptWithoutAHistory(t *testing.T) {
	t.Parallel()
	none := 0
	policy := DefaultPolicy()
	policy.HistoryDays = &none
	d, err := situation(t, "lent jane, aside jim late", policy, "jane").Return(monday)
	if err != nil || d.Changed[0].Borrower != (Person{}) || d.Moved[0].Holder != (Person{}) {
		t.Errorf("saved: %+v and %+v, %v", d.Changed, d.Moved, err)
	}
	if d.Loan.Borrower.ID != "jane" {
		t.Errorf("answer: %+v", d.Loan)
	}
}

func sameVersion(want string) Precondition { return func(v string) bool { return v == want } }

func TestTheRulesOfEditingAndDeletingBooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule           string
		before         string
		pre            Precondition
		edit, deleting error
	}{
		{"a free book is edited and deleted", "free, free", nil, nil, nil},
		{"a book without copies, too", "none", nil, nil, nil},
		{"a lent book is edited, not deleted", "lent jane", nil, nil, ErrBookOnLoan},
		{"so is one that is lost with its borrower", "lost lent jane", nil, nil, ErrBookOnLoan},
		{"a book that somebody waits for is edited, not deleted", "lost; jane", nil, nil, ErrHasHolds},
		{"a book that is set aside is edited, not deleted", "aside jane", nil, nil, ErrHasHolds},
		{"a hold that has expired is no obstacle", "aside jane late", nil, nil, nil},
		{"a version that was not asked for is neither edited nor deleted", "free", sameVersion("2"), ErrOutdated, ErrOutdated},
		{"the version that was asked for is", "free", sameVersion("1"), nil, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			given := situation(t, c.before, DefaultPolicy(), "jane")
			edited, err := given.Edit(BookFields{Title: "Persuasion"}, c.pre)
			if !errors.Is(err, c.edit) || err == nil && (edited.Title != "Persuasion" || edited.Version == "1" || edited.ID != emma.ID) {
				t.Errorf("edited: %+v, %v", edited, err)
			}
			d, err := given.Delete(c.pre, monday)
			if !errors.Is(err, c.deleting) {
				t.Errorf("delete: %v, want %v", err, c.deleting)
			}
			if left := given.apply(d); err == nil && left.Stock().Ready+left.Stock().Waiting > 0 {
				t.Errorf("what is deleted still has holds: %s", say(left))
			}
		})
	}
}

func TestTheBookThatAReaderSees(t *testing.T) {
	t.Parallel()
	due := monday.AddDate(0, 0, 21)
	for _, c := range []struct {
		name   string
		before string
		stock  Stock
		loan   string // whose
		place  int
	}{
		{"free", "free, free", Stock{Copies: 2, Available: 2}, "", 0},
		{"one of two is lent", "lent jim, free", Stock{Copies: 2, Available: 1, Lent: 1}, "jim", 0},
		{"all are lent", "lent jim, lent kate", Stock{Copies: 2, Lent: 2, Borrowed: true, Due: due}, "", 0},
		{"one's own among others", "lent jim, lent jane", Stock{Copies: 2, Lent: 2, Borrowed: true, Due: due}, "jane", 0},
		{"one's own place", "lent kate; jim jane", Stock{Copies: 1, Lent: 1, Waiting: 2, Borrowed: true, Due: due}, "kate", 2},
		{"set aside is not borrowed", "aside jim, lent kate", Stock{Copies: 2, Lent: 1, Ready: 1, Due: due}, "kate", 0},
		{"never lent is not borrowed", "reference, lost", Stock{}, "", 0},
		{"lost with a reader", "lost lent jim, free", Stock{Copies: 1, Available: 1, Lent: 1}, "jim", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := situation(t, c.before, DefaultPolicy(), "jane").shown()
			if diff := cmp.Diff(c.stock, b.Stock); diff != "" {
				t.Errorf("stock (-want +got)\n%s", diff)
			}
			if got := b.Loan; got == nil && c.loan != "" || got != nil && got.Borrower.ID != c.loan {
				t.Errorf("loan %+v, want one of %q", got, c.loan)
			}
			if got := b.Hold; got == nil && c.place != 0 || got != nil && got.Position != c.place {
				t.Errorf("hold %+v, want position %d", got, c.place)
			}
		})
	}
}
