package library

import (
	"context"
	"errors"
	"slices"
	"time"
)

// CirculationTx is what a store does with lending inside a transaction.
type CirculationTx interface {
	// Load returns the caller, and the circulation of the book that the
	// transaction is about: nil if l.Book is "" or there is no such book. It
	// locks, in this order, the book with all that belongs to it, the reader if
	// the policy limits what a reader may have, and the caller against changes
	// (but not against other transactions of the caller). A transaction that
	// had to wait sees what happened meanwhile. ErrUserNotFound is about the caller; a reader
	// who is not there is the zero Reader.
	Load(ctx context.Context, l Load) (User, *Circulation, error)
	// Save writes a decision about a circulation that was loaded in this
	// transaction. ErrBarcodeTaken, ErrIdentifierTaken. It may wait with that
	// until the next statement or the end of the transaction, which then fails.
	Save(ctx context.Context, d Decision) error

	HasOpenLoans(ctx context.Context, userID string) (bool, error)
	// HeldBooks returns the books of which the user has an active hold.
	HeldBooks(ctx context.Context, userID string) ([]string, error)
	// Forget takes the person out of up to most loans that were returned, and
	// holds that ended, before an instant: those of one user, or of everybody if
	// userID is "". It returns of how many.
	Forget(ctx context.Context, userID string, before time.Time, most int) (int, error)
}

// Load says what a transaction is about.
type Load struct {
	Caller string // e-mail address of the user on whose behalf it runs; "" for the program itself
	Book   string // "" for none
	Reader string // identifier of the user whom the lending concerns; "" for the caller
	Now    time.Time
	// Together says that the transaction begins with this and then saves at most
	// one decision about the book, and does nothing else. A store may then run it
	// in one transaction with others (group commit), as long as the results are the same.
	Together bool
}

// rule is a rule of lending.
type rule = func(Circulation, time.Time) (Decision, error)

// circulate loads a book, asks a rule of lending, and saves what it decides. Its
// result is made by present, from the decision and the caller's record as the
// transaction has loaded it.
func circulate[T any](ctx context.Context, s *Service, a Actor, p Permission, locks scope, r rule, present func(Actor, Decision) T) (T, error) {
	locks.together = true
	return changeTo(ctx, s, a, p, locks, func(tx Tx, caller Actor, c Circulation) (T, error) {
		d, err := s.decide(ctx, tx, c, s.now(), r)
		if err != nil {
			return present(caller, d), err
		}
		return present(caller, d), s.saveResponse(ctx, tx, caller, p, d.savedResult(caller, func(d Decision) any { return present(caller, d) }), d.about()...)
	})
}

// savedResult is the result that is saved under the idempotency key. Where the policy
// keeps no history, a loan that has ended is forgotten already: when the request is
// repeated, staff get it without the person, and the borrower does not get it.
func (d Decision) savedResult(a Actor, present func(Decision) any) any {
	switch {
	case !d.forgets || d.Loan.Open():
		return present(d)
	case d.Loan.Borrower.ID == a.User.ID:
		return forgotten{}
	}
	d.Loan.Borrower = Person{}
	return present(d)
}

// about is the identifiers of the loans and holds that a result may contain.
func (d Decision) about() (records []string) {
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
func (s *Service) decide(ctx context.Context, tx Tx, c Circulation, now time.Time, r rule) (Decision, error) {
	d, err := r(c, now)
	if s.mail == nil {
		d.Notices = nil
	}
	if err != nil || !d.changes() {
		return d, err
	}
	return d, tx.Save(ctx, d)
}

// sees reports whether the actor may know of somebody's loan or hold.
func (a Actor) sees(p Person) bool { return a.IsStaff() || p.ID != "" && p.ID == a.User.ID }

// handles is the permission by which the actor may change somebody's loan or
// hold: curators anybody's, readers their own.
func (a Actor) handles(p Person) (Permission, error) {
	if a.Has(RoleCurator) || p.ID != a.User.ID {
		return Curate, a.Authorize(Curate)
	}
	return Lend, a.Authorize(Lend)
}

// listsOf is whose loans and holds the actor gets who asks for those of a user,
// or of everybody.
func (a Actor) listsOf(userID string) (string, error) {
	switch {
	case a.IsStaff():
		return userID, nil
	case userID == "" || userID == a.User.ID:
		return a.User.ID, nil
	}
	return "", a.Authorize(Oversee)
}

// insteadOf is err, or the other error if err is the one.
func insteadOf(err, one, other error) error {
	if errors.Is(err, one) {
		return other
	}
	return err
}
