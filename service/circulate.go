package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"example.org/library"
)

// circulate loads a book, asks a rule of lending and saves its decision. present makes the result from
// the decision and the caller's record as loaded by the transaction.
func circulate[T any](ctx context.Context, s *Service, a library.Actor, p library.Permission, locks scope, r library.Rule, present func(library.Actor, library.Decision) T) (T, error) {
	return changeTo(ctx, s, a, p, locks, func(tx library.Tx, caller library.Actor, c library.Circulation) (T, error) {
		return decideFor(ctx, s, tx, caller, p, c, r, present)
	})
}

// decideFor is the part of circulate inside the transaction.
func decideFor[T any](ctx context.Context, s *Service, tx library.Tx, caller library.Actor, p library.Permission, c library.Circulation, r library.Rule, present func(library.Actor, library.Decision) T) (T, error) {
	d, err := s.decide(ctx, tx, c, s.now(), r)
	if err != nil {
		return present(caller, d), c.Reader.ExplainBlock(err, caller)
	}
	return present(caller, d), s.saveResponse(ctx, tx, caller, p, savedResult(d, caller, func(d library.Decision) any { return present(caller, d) }), recordsIn(d)...)
}

// savedResult returns the result to save under the idempotency key. If the policy keeps no history, an
// ended loan is forgotten already: for a repeated request, staff get it without the person, and the
// borrower does not get it.
func savedResult(d library.Decision, a library.Actor, present func(library.Decision) any) any {
	switch {
	case !d.Forgets || d.Loan.Open():
		return present(d)
	case d.Loan.Borrower.ID == a.User.ID:
		return forgotten{}
	}
	d.Loan.Borrower = library.Person{}
	return present(d)
}

// recordsIn returns the identifiers of the loans and holds in a result.
func recordsIn(d library.Decision) (records []string) {
	loans := []*library.Loan{&d.Loan, d.Book.Loan, d.Copy.Loan}
	holds := []*library.Hold{&d.Hold, d.Book.Hold, d.Copy.Hold}
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

// The parts of a decision for callers.

func presentLoan(_ library.Actor, d library.Decision) library.Loan { return d.Loan }

func presentHold(_ library.Actor, d library.Decision) library.Hold { return d.Hold }

func presentCopy(_ library.Actor, d library.Decision) library.Copy { return d.Copy }

func (s *Service) presentBook(a library.Actor, d library.Decision) library.Book {
	return s.show(a, d.Book)
}

// decide asks a rule and saves its decision.
func (s *Service) decide(ctx context.Context, tx library.Tx, c library.Circulation, now time.Time, r library.Rule) (library.Decision, error) {
	d, err := r(c, now)
	if err != nil {
		return d, err
	}
	return d, s.save(ctx, tx, &d)
}

// save saves a decision.
func (s *Service) save(ctx context.Context, tx library.Tx, d *library.Decision) error {
	if s.mail == nil {
		d.Notices = nil
	}
	if !d.Changes() {
		return nil
	}
	return tx.Save(ctx, *d)
}

// replaceErr returns other if err is one, else err.
func replaceErr(err, one, other error) error {
	if errors.Is(err, one) {
		return other
	}
	return err
}
