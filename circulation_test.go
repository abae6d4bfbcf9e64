package library

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The people and the book of the rules below.
var (
	jane   = Actor{User: User{ID: "jane", UserFields: UserFields{FirstName: "Jane", LastName: "Austen"}, Version: "7"}}
	john   = Actor{User: User{ID: "john"}}
	monday = time.Date(2026, 11, 16, 9, 30, 0, 0, time.UTC)
	emma   = Book{ID: "emma", BookFields: BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}, Version: "1"}
)

// lentTo is Emma while somebody has it.
func lentTo(a Actor) Circulation {
	b := emma
	b.Loan = &Loan{ID: "loan", BookID: b.ID, Title: "Emma", Borrower: a.person(), Since: monday.AddDate(0, 0, -7)}
	return Circulation{Book: b}
}

func TestTheRulesOfLending(t *testing.T) {
	t.Parallel()
	free := Circulation{Book: emma}
	returned := *lentTo(jane).Book.Loan
	returned.Returned = monday
	janes := Person{ID: "jane", FirstName: "Jane", LastName: "Austen", Version: "7"}
	for _, c := range []struct {
		rule   string
		given  Circulation
		ask    func(Circulation, Actor, time.Time) (Decision, error)
		opened *Loan
		closed *Loan
		left   Book
		err    error
	}{
		{rule: "a book that nobody has is lent, from now on, under its title of today", given: free, ask: Circulation.Borrow,
			opened: &Loan{BookID: "emma", Title: "Emma", Borrower: janes, Since: monday}, left: emma},
		{rule: "who has the book already keeps it, and the loan is the same", given: lentTo(jane), ask: Circulation.Borrow, left: lentTo(jane).Book},
		{rule: "a book that somebody else has is not lent", given: lentTo(john), ask: Circulation.Borrow, err: ErrBookBorrowed},
		{rule: "a borrower returns the book, and the loan ends now", given: lentTo(jane), ask: Circulation.Return, closed: &returned, left: emma},
		{rule: "a book that nobody has cannot be returned", given: free, ask: Circulation.Return, err: ErrBookNotBorrowed},
		{rule: "nobody returns the book of somebody else", given: lentTo(john), ask: Circulation.Return, err: ErrNotYourLoan},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			before := c.given
			d, err := c.ask(c.given, jane, monday)
			if !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			want := Decision{Book: c.left, Opened: c.opened, Closed: c.closed}
			if c.opened != nil {
				want.Book.Loan = c.opened
			}
			newID := cmp.FilterPath(func(p cmp.Path) bool {
				return c.opened != nil && p.String() == "Opened.ID" || p.String() == "Book.Loan.ID"
			}, cmp.Ignore())
			if diff := cmp.Diff(want, d, newID); diff != "" {
				t.Errorf("decision (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(before, c.given); diff != "" {
				t.Errorf("what the rule was given has changed\n%s", diff)
			}
		})
	}
}

func TestEveryLoanHasAnIdentifierOfItsOwn(t *testing.T) {
	t.Parallel()
	first, _ := Circulation{Book: emma}.Borrow(jane, monday)
	second, _ := Circulation{Book: emma}.Borrow(jane, monday)
	if first.Opened.ID == "" || first.Opened.ID == second.Opened.ID {
		t.Errorf("loans %q and %q", first.Opened.ID, second.Opened.ID)
	}
}

func sameVersion(want string) Precondition { return func(v string) bool { return v == want } }

func TestTheRulesOfEditingAndDeletingBooks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule      string
		given     Circulation
		pre       Precondition
		edit, del error
	}{
		{rule: "a book that nobody has is edited and deleted", given: Circulation{Book: emma}},
		{rule: "a lent book is edited, and deleted only after its return", given: lentTo(john), del: ErrBookOnLoan},
		{rule: "whoever has read the book as it is may do both", given: Circulation{Book: emma}, pre: sameVersion("1")},
		{rule: "whoever has read it before another edit may not", given: Circulation{Book: emma}, pre: sameVersion("0"), edit: ErrOutdated, del: ErrOutdated},
		{rule: "and learns that before they learn of a loan", given: lentTo(john), pre: sameVersion("0"), edit: ErrOutdated, del: ErrOutdated},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if err := c.given.Delete(c.pre); !errors.Is(err, c.del) {
				t.Errorf("Delete: error %v, want %v", err, c.del)
			}
			fields := BookFields{Title: "Persuasion"}
			got, err := c.given.Edit(fields, c.pre)
			if !errors.Is(err, c.edit) {
				t.Fatalf("Edit: error %v, want %v", err, c.edit)
			}
			if c.edit != nil {
				return
			}
			want := c.given.Book
			want.BookFields = fields
			if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Book{}, "Version")); diff != "" || got.Version == want.Version || got.Version == "" {
				t.Errorf("version %q after %q; (-want +got)\n%s", got.Version, want.Version, diff)
			}
		})
	}
}
