package library

import "time"

// Copies of one book get swapped: a reader takes one home and the record names
// another. The copy in somebody's hand is right, so the rules here move loans to
// it. A loan that is moved keeps its person, its dates and its renewals.

// LendCopy lends the copy in the reader's hand. With swap, a copy that somebody
// else has by the records is lent, too: the other loan moves to a free copy. With several the reader may
// have other copies of the book.
func (c Circulation) LendCopy(copyID string, swap, several bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	r.several = several
	if err := r.mayAsk(); err != nil {
		return Decision{}, err
	}
	chosen := r.copy(copyID)
	if chosen == nil {
		return Decision{}, ErrCopyNotFound
	}
	if err := r.mayBeLent(); err != nil {
		return Decision{}, err
	}
	switch {
	case chosen.Loan != nil && (!swap || r.firstFree() == nil):
		return Decision{}, r.lentToAnother(chosen)
	case chosen.Hold != nil && chosen.Hold.Holder.ID != c.Reader.ID:
		return Decision{}, ErrReserved.with("This copy is set aside for somebody else.")
	case chosen.State != Lendable:
		return Decision{}, ErrNotLendable
	}
	swapped := chosen.Loan != nil
	if swapped {
		r.move(chosen, r.firstFree())
	}
	d, err := r.lend(chosen)
	d.Swapped = swapped
	return d, err
}

// ReturnCopy ends the reader's loan with the copy in the reader's hand, which may be
// another copy than the records say.
func (c Circulation) ReturnCopy(copyID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	inHand, own := r.copy(copyID), r.ownLoan()
	switch {
	case inHand == nil:
		return Decision{}, ErrUnknownCode
	case inHand.Loan != nil && inHand.Loan.Borrower.ID != c.Reader.ID:
		return Decision{}, ErrNotYours
	case inHand.Loan == nil && own == nil:
		return Decision{}, ErrCopyNotBorrowed
	case inHand.Loan != nil:
		own = inHand
	}
	return r.giveBackAs(own, inHand, false), nil
}

// TakeBack ends a loan at the desk with the copy that is there: the loan of that
// copy, or the one that is named. With asClaimed it ends as of its claim.
func (c Circulation) TakeBack(copyID, loanID string, asClaimed bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	r.asClaimed = asClaimed
	inHand := r.copy(copyID)
	lent := inHand
	if loanID != "" {
		lent = r.loan(loanID)
	}
	switch {
	case inHand == nil:
		return Decision{}, ErrUnknownCode
	case lent == nil:
		return Decision{}, ErrNotOpen
	case lent.Loan == nil:
		return Decision{}, ErrCopyNotBorrowed
	case lent != inHand && inHand.Loan != nil:
		return Decision{}, ErrLentToAnother
	case asClaimed && !lent.Loan.IsClaimed():
		return Decision{}, ErrNotClaimed
	}
	return r.giveBackAs(lent, inHand, true), nil
}

// DropOff ends the loan of a copy at a station. Staff have not fetched the copy for its next
// hold, and copies that were swapped are left to the desk.
func (c Circulation) DropOff(copyID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	switch inHand := r.copy(copyID); {
	case inHand == nil:
		return Decision{}, ErrUnknownCode
	case inHand.Loan == nil:
		return Decision{}, ErrCopyNotBorrowed
	default:
		return r.giveBackAs(inHand, inHand, false), nil
	}
}

// Move gives an open loan another copy of its book. With swap, two loans exchange
// their copies.
func (c Circulation) Move(loanID, copyID string, swap bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent, to := r.loan(loanID), r.copy(copyID)
	switch {
	case lent == nil:
		return Decision{}, ErrNotOpen
	case to == nil:
		return Decision{}, ErrCopyNotFound
	case to == lent:
		return r.decide(lent.Loan, nil, nil), nil
	case to.Loan != nil && !swap:
		return Decision{}, ErrLentToAnother
	case to.Hold != nil:
		return Decision{}, ErrReserved
	case to.State != Lendable:
		return Decision{}, ErrNotLendable
	}
	r.move(lent, to)
	r.settle()
	return r.decide(to.Loan, nil, nil), nil
}

// mayTakePart reports whether something can be lent to the reader.
func (r Reader) mayTakePart() bool { return r.ID != "" && !r.Inactive && !r.Station }

// lentToAnother returns why a copy that is lent cannot be lent: ErrBookBorrowed if the
// book has no other copy that could be.
func (r *ruling) lentToAnother(chosen *Copy) error {
	for i := range r.Copies {
		if other := &r.Copies[i]; other != chosen && other.State == Lendable {
			return ErrLentToAnother
		}
	}
	return ErrBookBorrowed
}

// move gives the loan of a copy another copy. A loan of the other copy moves the
// other way.
func (r *ruling) move(from, to *Copy) {
	from.Loan, to.Loan = to.Loan.onCopy(from), from.Loan.onCopy(to)
}

// onCopy returns the loan with another copy, nil for no loan.
func (l *Loan) onCopy(c *Copy) *Loan {
	if l == nil {
		return nil
	}
	moved := *l
	moved.CopyID, moved.Barcode = c.ID, c.Barcode
	return &moved
}

// giveBackAs ends the loan of one copy with another in hand, if they differ.
func (r *ruling) giveBackAs(lent, inHand *Copy, atDesk bool) Decision {
	swapped := lent != inHand
	if swapped {
		r.move(lent, inHand)
	}
	d := r.giveBack(inHand, atDesk)
	d.Swapped = swapped
	return d
}

// mayAsk refuses readers who get no other copy of the book.
func (r *ruling) mayAsk() error {
	switch {
	case !r.Reader.mayTakePart():
		return ErrUserNotFound
	case r.Reader.Block != "":
		return ErrBlocked
	case !r.several && r.ownLoan() != nil:
		return ErrHasIt
	}
	return nil
}
