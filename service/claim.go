package service

import (
	"context"
	"time"

	"example.org/library"
)

// Claim records that the borrower of a loan says to have brought the copy back.
func (s *Service) Claim(ctx context.Context, a library.Actor, id string) (library.Loan, error) {
	return loanAtDesk(ctx, s, a, id, func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Claim(id, now) }, presentLoan)
}

// Unclaim takes a claim back.
func (s *Service) Unclaim(ctx context.Context, a library.Actor, id string) error {
	_, err := loanAtDesk(ctx, s, a, id, func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Unclaim(id, now) }, presentLoan)
	return err
}

// LoseLoan ends a loan of a lost copy.
func (s *Service) LoseLoan(ctx context.Context, a library.Actor, id string) (library.Loan, error) {
	return loanAtDesk(ctx, s, a, id, func(c library.Circulation, now time.Time) (library.Decision, error) { return c.Lose(id, now) }, presentLoan)
}

// ReturnClaimed ends a claimed loan as of its claim.
func (s *Service) ReturnClaimed(ctx context.Context, a library.Actor, id string) (ReturnedLoan, error) {
	return loanAtDesk(ctx, s, a, id, func(c library.Circulation, now time.Time) (library.Decision, error) {
		return c.ReturnLoan(id, true, true, now)
	}, presentReturned)
}

// loanAtDesk asks a rule of the desk about the book of a loan.
func loanAtDesk[T any](ctx context.Context, s *Service, a library.Actor, id string, r library.Rule, present func(library.Actor, library.Decision) T) (none T, err error) {
	if err := a.Authorize(library.Curate); err != nil {
		return none, err
	}
	return onLoan(ctx, s, a, id, r, r, present)
}
