package library

import "time"

// These ask the policy for what the reader may do with the book.

// terms returns the policy for the reader and the book.
func (c Circulation) terms(now time.Time) Terms {
	return c.Policy.Terms(c.Reader.Category, c.Book.Kind, c.Policy.Day(now))
}

// mayBorrow returns nil if the policy allows the reader one more loan.
func (r *ruling) mayBorrow() error {
	if err := r.loanLimit(); err != nil {
		return err
	}
	if r.Policy.BlockOverdue && r.Reader.Overdue > 0 {
		return ErrHasOverdue
	}
	return nil
}

// mayBeLent returns nil if the book may be lent to the reader at all.
func (r *ruling) mayBeLent() error {
	if lend := r.terms(r.now).Lend; !lend.Value {
		return ruledBy(lend.Rule, ErrNotForYou)
	}
	return nil
}

// mayBeReserved returns nil if the reader may reserve the book.
func (r *ruling) mayBeReserved() error {
	if err := r.mayBeLent(); err != nil {
		return err
	}
	return r.terms(r.now).MayReserve()
}

// loanLimit refuses a loan above a limit, holdLimit a hold.
func (r *ruling) loanLimit() error {
	return r.terms(r.now).LoanLimit(r.Reader.Loans, r.Reader.LoansOfKind)
}

func (r *ruling) holdLimit() error {
	return r.terms(r.now).HoldLimit(r.Reader.Holds, r.Reader.HoldsOfKind)
}
