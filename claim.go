package library

import "time"

// Claim records that the borrower says to have brought the copy back. The loan stays open until the
// copy is found, but is not overdue and cannot be renewed.
func (c Circulation) Claim(loanID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent := r.loan(loanID)
	switch {
	case lent == nil:
		return Decision{}, ErrNotOpen
	case lent.Loan.IsClaimed():
		return Decision{}, ErrClaimed
	}
	return r.setClaim(lent, now), nil
}

// Unclaim takes a claim back. Without a claim nothing changes.
func (c Circulation) Unclaim(loanID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent := r.loan(loanID)
	if lent == nil {
		return Decision{}, ErrNotOpen
	}
	return r.setClaim(lent, time.Time{}), nil
}

// setClaim gives a loan the time of a claim, zero for none.
func (r *ruling) setClaim(lent *Copy, at time.Time) Decision {
	changed := *lent.Loan
	if changed.at(r.now).Overdue {
		r.Reader.Overdue--
	}
	changed.Claimed = at
	if changed.at(r.now).Overdue {
		r.Reader.Overdue++
	}
	lent.Loan = &changed
	return r.decide(&changed, nil, nil)
}

// Lose ends a loan of a lost copy.
func (c Circulation) Lose(loanID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent := r.loan(loanID)
	if lent == nil {
		return Decision{}, ErrNotOpen
	}
	closed := *lent.Loan
	closed.Returned, closed.Lost = now, true
	r.closed = append(r.closed, closed)
	gone := lent.CopyFields
	gone.State = Lost
	lent.become(gone, now)
	lent.Loan, lent.Version = nil, NewVersion()
	r.settle()
	return r.decide(&closed, nil, nil), nil
}

// IsClaimed reports whether the borrower says to have brought the copy back.
func (l Loan) IsClaimed() bool { return !l.Claimed.IsZero() }
