package library

import "time"

// Circulation is a book with everything that decides who may have it. The rules
// of lending are its methods. They know no store and no clock: package service loads a
// Circulation, asks one of its rules, and saves the Decision. While it does so,
// the store lets nobody else change the book, its copies, loans and holds.
//
// Each rule first settles the book as of now: a hold that was not fetched in
// time has expired, and a copy that is free belongs to the first who waits. So
// an answer depends on the time alone, and not on when the housekeeping ran.
type Circulation struct {
	Book   Book   // without loans and holds
	Copies []Copy // in the order in which they were added, with their loans and holds
	Queue  []Hold // those who wait, the first first
	Policy Policy
	Reader Reader // whom it is about; the zero Reader if nobody
}

// Rule is a rule of lending.
type Rule = func(Circulation, time.Time) (Decision, error)

// Borrow lends a copy to the reader: the one that is set aside for them, or any
// that is free. Borrowing a book that one has already changes nothing and
// succeeds.
func (c Circulation) Borrow(now time.Time) (Decision, error) {
	r := c.ruling(now)
	if own := r.ownLoan(); own != nil {
		return r.about(own.Loan, nil, nil), nil
	}
	chosen := r.ownHold()
	if chosen == nil {
		chosen = r.firstFree()
	}
	if chosen == nil {
		return Decision{}, r.whyNoCopy()
	}
	return r.lend(chosen)
}

// Lend lends a copy to the reader at the desk: the one with this identifier, or
// whichever is due to the reader if it is "". Who is switched off is as unknown at the
// desk as elsewhere; what they have can come back.
func (c Circulation) Lend(copyID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	switch {
	case c.Reader.ID == "" || c.Reader.Inactive:
		return Decision{}, ErrUserNotFound
	case r.ownLoan() != nil:
		return Decision{}, ErrHasIt
	case copyID == "":
		return c.Borrow(now)
	}
	chosen := r.copy(copyID)
	switch {
	case chosen == nil:
		return Decision{}, ErrCopyNotFound
	case chosen.Loan != nil:
		return Decision{}, ErrBookBorrowed
	case chosen.Hold != nil && chosen.Hold.Holder.ID != c.Reader.ID:
		return Decision{}, ErrReserved
	case chosen.State != Lendable:
		return Decision{}, ErrNotLendable
	}
	return r.lend(chosen)
}

// Return ends the reader's loan of the book.
func (c Circulation) Return(now time.Time) (Decision, error) {
	r := c.ruling(now)
	if own := r.ownLoan(); own != nil {
		return r.giveBack(own, false), nil
	}
	if r.Stock().Lent > 0 {
		return Decision{}, ErrNotYourLoan
	}
	return Decision{}, ErrBookNotBorrowed
}

// ReturnLoan ends anybody's loan. At the desk the copy is in the hands of
// staff: if it is set aside now, nobody has to fetch it from a shelf.
func (c Circulation) ReturnLoan(loanID string, atDesk bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent := r.loan(loanID)
	if lent == nil {
		return Decision{}, ErrNotOpen
	}
	return r.giveBack(lent, atDesk), nil
}

// Renew gives a loan a new due date, if that is another one. The reader is the
// borrower.
func (c Circulation) Renew(loanID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent := r.loan(loanID)
	if lent == nil {
		return Decision{}, ErrNotOpen
	}
	renewed := *lent.Loan
	renewed.Awaited, renewed.BorrowerOverdue = len(r.Queue), c.Reader.Overdue > 0
	if err := renewed.mayRenew(c.Policy, now); err != nil {
		return Decision{}, err
	}
	renewed.Renewals++
	renewed.Due = renewed.renewed(c.Policy, now)
	lent.Loan = &renewed
	return r.about(&renewed, nil, nil), nil
}

// PlaceHold puts the reader at the end of the queue.
func (c Circulation) PlaceHold(now time.Time) (Decision, error) {
	r := c.ruling(now)
	stock := r.Stock()
	switch {
	case r.ownLoan() != nil:
		return Decision{}, ErrHasIt
	case r.ownHold() != nil || r.place() > 0:
		return Decision{}, ErrAlreadyHeld
	case stock.Copies == 0:
		return Decision{}, ErrNotLendable
	case stock.Available > 0:
		return Decision{}, onShelf(c.Policy)
	case c.Policy.MaxHolds > 0 && c.Reader.Holds >= c.Policy.MaxHolds:
		return Decision{}, holdLimit(c.Policy)
	}
	h := Hold{ID: NewID(), Book: c.Book.ref(), Holder: c.Reader.Person, State: Waiting, Created: now, Position: len(r.Queue) + 1}
	r.Queue = append(r.Queue, h)
	return r.about(nil, &h, nil), nil
}

// CancelHold ends a hold. A copy that was set aside for it goes to the next.
func (c Circulation) CancelHold(holdID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	if !r.endHold(holdID, Cancelled) {
		return Decision{}, ErrNotActive
	}
	r.settle()
	return r.about(nil, nil, nil), nil
}

// CancelHolds ends every hold of the reader, if there is one.
func (c Circulation) CancelHolds(now time.Time) (Decision, error) {
	r := c.ruling(now)
	for h := range r.before.holds() {
		if h.Holder.ID == c.Reader.ID {
			r.endHold(h.ID, Cancelled)
		}
	}
	r.settle()
	return r.about(nil, nil, nil), nil
}

// FetchHold notes that the copy of a ready hold was fetched from its shelf, or that
// it still is to be.
func (c Circulation) FetchHold(holdID string, fetched bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	aside := r.find(func(c Copy) bool { return c.Hold != nil && c.Hold.ID == holdID })
	if aside == nil {
		return Decision{}, ErrNotReady
	}
	h := *aside.Hold
	switch {
	case !fetched:
		h.Fetched = time.Time{}
	case h.Fetched.IsZero():
		h.Fetched = now
	}
	aside.Hold = &h
	return r.about(nil, &h, nil), nil
}

// AddCopy adds a copy to the book.
func (c Circulation) AddCopy(added Copy, now time.Time) (Decision, error) {
	r := c.ruling(now)
	if len(r.Copies) >= MaxCopies {
		return Decision{}, ErrTooManyCopies
	}
	r.Copies = append(r.Copies, added)
	r.settle()
	return r.about(nil, nil, r.copy(added.ID)), nil
}

// EditCopy replaces a copy's fields. A copy that is lent may be marked as lost
// or damaged: the loan stays open. If it was set aside and cannot be lent any
// more, its hold goes back to the front of the queue.
func (c Circulation) EditCopy(id string, f CopyFields, pre Precondition, now time.Time) (Decision, error) {
	r := c.ruling(now)
	edited := r.copy(id)
	switch {
	case edited == nil:
		return Decision{}, ErrCopyNotFound
	case !pre.Accepts(edited.Version):
		return Decision{}, ErrOutdated
	case edited.Loan != nil && f.State == Reference:
		return Decision{}, ErrCopyOnLoan
	}
	edited.CopyFields, edited.Version = f, NewVersion()
	if edited.Hold != nil {
		h := *edited.Hold
		h.Barcode, edited.Hold = f.Barcode, &h
	}
	if f.State != Lendable {
		r.requeue(edited)
	}
	r.settle()
	return r.about(nil, nil, r.copy(id)), nil
}

// RemoveCopy removes a copy that is not lent. A hold that it was set aside for
// goes back to the front of the queue.
func (c Circulation) RemoveCopy(id string, pre Precondition, now time.Time) (Decision, error) {
	r := c.ruling(now)
	removed := r.copy(id)
	switch {
	case removed == nil:
		return Decision{}, ErrCopyNotFound
	case !pre.Accepts(removed.Version):
		return Decision{}, ErrOutdated
	case removed.Loan != nil:
		return Decision{}, ErrCopyOnLoan
	}
	r.requeue(removed)
	r.drop(id)
	r.settle()
	return r.about(nil, nil, nil), nil
}

// Settle is what becomes due as time passes.
func (c Circulation) Settle(now time.Time) (Decision, error) {
	return c.ruling(now).about(nil, nil, nil), nil
}

// Edit is the book with other fields. Loans and holds are no obstacle, and stay.
func (c Circulation) Edit(f BookFields, pre Precondition) (Book, error) {
	if !pre.Accepts(c.Book.Version) {
		return Book{}, ErrOutdated
	}
	b := c.shown()
	b.BookFields, b.Version = f, NewVersion()
	return b, nil
}

// Delete settles a book that may be deleted: nobody has it or waits for it.
func (c Circulation) Delete(pre Precondition, now time.Time) (Decision, error) {
	r := c.ruling(now)
	stock := r.Stock()
	switch {
	case !pre.Accepts(c.Book.Version):
		return Decision{}, ErrOutdated
	case stock.Lent > 0:
		return Decision{}, ErrBookOnLoan
	case stock.Waiting+stock.Ready > 0:
		return Decision{}, ErrHasHolds
	}
	return r.about(nil, nil, nil), nil
}
