package library

import (
	"context"
	"errors"
	"slices"
	"time"
)

// circulate loads a book, asks a rule of lending, and saves what it decides. Its
// result is made by present, from the decision and the caller's record as the
// transaction has loaded it.
func circulate[T any](ctx context.Context, s *Service, a Actor, p Permission, locks scope, r Rule, present func(Actor, Decision) T) (T, error) {
	locks.together = true
	return changeTo(ctx, s, a, p, locks, func(tx Tx, caller Actor, c Circulation) (T, error) {
		d, err := s.decide(ctx, tx, c, s.now(), r)
		if err != nil {
			return present(caller, d), err
		}
		return present(caller, d), s.saveResponse(ctx, tx, caller, p, savedResult(d, caller, func(d Decision) any { return present(caller, d) }), about(d)...)
	})
}

// savedResult is the result that is saved under the idempotency key. Where the policy
// keeps no history, a loan that has ended is forgotten already: when the request is
// repeated, staff get it without the person, and the borrower does not get it.
func savedResult(d Decision, a Actor, present func(Decision) any) any {
	switch {
	case !d.Forgets || d.Loan.Open():
		return present(d)
	case d.Loan.Borrower.ID == a.User.ID:
		return forgotten{}
	}
	d.Loan.Borrower = Person{}
	return present(d)
}

// about is the identifiers of the loans and holds that a result may contain.
func about(d Decision) (records []string) {
	loans := []*Loan{&d.Loan, d.Book.Loan, d.Copy.Loan}
	holds := []*Hold{&d.Hold, d.Book.Hold, d.Copy.Hold}
	for i := range loans {
		if loans[i] != nil {
			records = append(records, loans[i].ID)
		}
		if holds[i] != nil {
			records = append(records, holds[i].ID)
		}
	}
	slices.Sort(records)
	return slices.DeleteFunc(slices.Compact(records), func(id string) bool { return id == "" })
}

// What callers get of a decision.

func presentLoan(_ Actor, d Decision) Loan { return d.Loan }
func presentHold(_ Actor, d Decision) Hold { return d.Hold }
func presentCopy(_ Actor, d Decision) Copy { return d.Copy }

func (s *Service) presentBook(a Actor, d Decision) Book { return s.show(a, d.Book) }

// decide asks a rule and saves what it decides.
func (s *Service) decide(ctx context.Context, tx Tx, c Circulation, now time.Time, r Rule) (Decision, error) {
	d, err := r(c, now)
	if s.mail == nil {
		d.Notices = nil
	}
	if err != nil || !d.Changes() {
		return d, err
	}
	return d, tx.Save(ctx, d)
}

// insteadOf is err, or the other error if err is the one.
func insteadOf(err, one, other error) error {
	if errors.Is(err, one) {
		return other
	}
	return err
}
