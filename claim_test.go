package library

import (
	"testing"
	"time"
)

func see(copyID string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.SeeCopy(copyID, now) }
}
func claim(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.Claim(loan, now) }
}
func unclaim(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.Unclaim(loan, now) }
}
func lose(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.Lose(loan, now) }
}
func endClaim(loan string) Rule {
	return func(c Circulation, now time.Time) (Decision, error) { return c.ReturnLoan(loan, true, true, now) }
}

func TestCopiesThatAreNotWhereTheyShouldBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule   string
		before string
		ask    Rule
		after  string // the same as before if the rule refuses
		event  ChangeKind
		err    error
	}{
		{"a missing copy is not lent", "missing", borrow, "", "", ErrNotLendable},
		{"a copy on the shelf becomes missing", "free", mark("copy 1", Missing), "missing", BookChanged, nil},
		{"one that is set aside gives its hold back to the queue", "aside jim; kate", mark("copy 1", Missing), "missing; jim kate", BookChanged, nil},
		{"one that is lent does not", "lent jim", mark("copy 1", Missing), "", "", ErrCopyOnLoan},
		{"a missing copy that is seen is lendable", "missing", see("copy 1"), "free", BookChanged, nil},
		{"and goes to the first who waits", "missing, lent kate; jane jim", see("copy 1"), "aside jane, lent kate; jim", BookChanged, nil},
		{"a copy on the shelf stays there", "free", see("copy 1"), "free", "", nil},
		{"a lost copy stays lost", "lost", see("copy 1"), "lost", "", nil},
		{"a lent copy stays lent", "lent jim", see("copy 1"), "lent jim", "", nil},
		{"a copy that is not there", "free", see("copy 7"), "", "", ErrCopyNotFound},
		{"a missing copy comes back in place of another", "lent jane, missing", inHand("copy 2"), "free, free", BookReturned, nil},
		{"a loan does not move to a missing copy", "lent jane, missing", move("loan of jane", "copy 2"), "", "", ErrNotLendable},

		{"a claimed loan stays open", "lent jane", claim("loan of jane"), "lent jane claimed", "", nil},
		{"and is claimed once", "lent jane claimed", claim("loan of jane"), "", "", ErrClaimed},
		{"a loan that has ended is not claimed", "free", claim("loan of jane"), "", "", ErrNotOpen},
		{"a claimed loan is not renewed", "lent jane claimed", renew("loan of jane"), "", "", ErrClaimed},
		{"a claim is taken back", "lent jane claimed", unclaim("loan of jane"), "lent jane", "", nil},
		{"also without one", "lent jane", unclaim("loan of jane"), "lent jane", "", nil},
		{"not of a loan that has ended", "free", unclaim("loan of jane"), "", "", ErrNotOpen},
		{"a claimed loan comes back", "lent jane claimed; jim", endClaim("loan of jane"), "aside jim fetched", BookReturned, nil},
		{"one without a claim does not end as of it", "lent jane", endClaim("loan of jane"), "", "", ErrNotClaimed},
		{"a lost copy ends its loan", "lent jane, lent kate; jim", lose("loan of jane"), "lost, lent kate; jim", BookReturned, nil},
		{"once", "lost", lose("loan of jane"), "", "", ErrNotOpen},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			wantDecision(t, c.before, "jane", c.ask, c.after, c.event, c.err)
		})
	}
}

func TestAMissingCopyIsAgainWhatItWas(t *testing.T) {
	t.Parallel()
	for state, want := range map[CopyState]CopyState{Lendable: Lendable, Reference: Reference, Damaged: Lendable, Lost: Lendable} {
		given := situation(t, "free", DefaultPolicy(), "jane")
		given.Copies[0].State = state
		gone, err := given.EditCopy("copy 1", CopyFields{State: Missing}, nil, monday)
		if err != nil || !gone.Copy.MissingSince.Equal(monday) {
			t.Fatalf("%s: missing since %v, %v", state, gone.Copy.MissingSince, err)
		}
		given.Copies[0] = gone.Copy
		later := monday.Add(time.Hour)
		seen, err := given.SeeCopy("copy 1", later)
		if c := seen.Copy; err != nil || c.State != want || !c.MissingSince.IsZero() || !c.Seen.Equal(later) || !seen.MissingSince.Equal(monday) || c.Version == gone.Copy.Version {
			t.Errorf("%s: seen as %+v, was missing since %v, %v", state, c, seen.MissingSince, err)
		}
	}
}

func TestAClaimedLoanIsNotOverdueAndEndsAsOfItsClaim(t *testing.T) {
	t.Parallel()
	given := situation(t, "lent jane", DefaultPolicy(), "jane")
	given.Copies[0].Loan.Due, given.Reader.Overdue = monday.Add(-time.Hour), 1
	d, err := given.Claim("loan of jane", monday)
	if err != nil || d.Loan.Overdue || d.Loan.Renewable || !d.Loan.Claimed.Equal(monday) {
		t.Fatalf("claimed: %+v, %v", d.Loan, err)
	}
	if step := d.LoanStep(d.Changed[0]); step != OtherStep {
		t.Errorf("step %v of a claim", step)
	}
	given = given.apply(d)
	if back, err := given.ReturnLoan("loan of jane", true, true, monday.Add(72*time.Hour)); err != nil || !back.Loan.Returned.Equal(monday) {
		t.Errorf("returned at %v, %v", back.Loan.Returned, err)
	}
	if again, err := given.Unclaim("loan of jane", monday); err != nil || !again.Loan.Overdue {
		t.Errorf("without the claim: %+v, %v", again.Loan, err)
	}
}
