package library

import "time"

// Circulation is a book with everything needed to decide about lending it. The rules of lending are
// its methods. They know no store and no clock: package service loads a Circulation, asks one of its
// rules, and saves the Decision. Meanwhile the store locks the book, its copies, loans and holds.
//
// Each rule first settles the book as of now: a hold not fetched in time has expired, and a free copy
// belongs to the first waiter. So an answer depends on the time alone, not on the last run of the
// housekeeping.
type Circulation struct {
	Book   Book   // without loans and holds
	Copies []Copy // the oldest first, with their loans and holds
	Queue  []Hold // waiting holds in their order
	Policy Policy
	Reader Reader // the reader concerned; zero for none
}

// Rule is a rule of lending.
type Rule = func(Circulation, time.Time) (Decision, error)

// Borrow lends a copy to the reader: the one set aside for them, or any free one. Borrowing the same
// book again changes nothing and succeeds.
func (c Circulation) Borrow(now time.Time) (Decision, error) { return c.borrow(false, now) }

// borrow is Borrow, with several for one more copy of a book that the reader may have already.
func (c Circulation) borrow(several bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	r.several = several
	if err := c.Reader.mayBeServed(); err != nil {
		return Decision{}, err
	}
	if own := r.ownLoan(); own != nil && !several {
		return r.decide(own.Loan, nil, nil), nil
	}
	if err := r.mayBeLent(); err != nil {
		return Decision{}, err
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

// Lend lends the reader a copy as Borrow does, but refuses a book that the reader has
// already: at the desk, a second loan is a mistake to be noticed. With several it is meant.
func (c Circulation) Lend(several bool, now time.Time) (Decision, error) {
	switch r := c.ruling(now); {
	case !c.Reader.mayTakePart():
		return Decision{}, ErrUserNotFound
	case c.Reader.Block == "" && !several && r.ownLoan() != nil:
		return Decision{}, ErrHasIt
	}
	return c.borrow(several, now)
}

// Return ends the reader's oldest loan of the book.
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

// ReturnLoan ends anybody's loan. At the desk staff have the copy in their hands, so for the next hold
// it counts as fetched. With asClaimed the loan ends as of its claim.
func (c Circulation) ReturnLoan(loanID string, atDesk, asClaimed bool, now time.Time) (Decision, error) {
	r := c.ruling(now)
	r.asClaimed = asClaimed
	lent := r.loan(loanID)
	switch {
	case lent == nil:
		return Decision{}, ErrNotOpen
	case asClaimed && !lent.Loan.IsClaimed():
		return Decision{}, ErrNotClaimed
	}
	return r.giveBack(lent, atDesk), nil
}

// UndoTime is how long a return can be undone.
const UndoTime = 10 * time.Minute

// UndoReturn opens a loan again as it was before its return. last is the most recently ended loan of
// the copy, and the reader is its borrower. A hold set aside since goes back to its place in the
// queue. Once staff have fetched the copy for it, the return stays.
func (c Circulation) UndoReturn(loanID string, last Loan, now time.Time) (Decision, error) {
	r := c.ruling(now)
	if r.loan(loanID) != nil {
		return Decision{}, ErrNotReturned
	}
	back := r.copy(last.CopyID)
	switch {
	case last.ID != loanID, last.Borrower.ID == "", last.Borrower.ID != r.Reader.ID, now.Sub(last.Returned) > UndoTime:
		return Decision{}, ErrTooLate
	case back == nil, back.Loan != nil, back.State == Reference, back.State == Missing, back.fetchedAfter(last.Returned):
		return Decision{}, ErrTooLate
	case !last.Several && r.ownLoan() != nil, r.ownHold() != nil, r.place() > 0: // of another copy, since
		return Decision{}, ErrTooLate
	}
	if err := r.loanLimit(); err != nil {
		return Decision{}, err
	}
	last.Returned, last.Lost = time.Time{}, false
	if last.at(now).Overdue {
		r.Reader.Overdue++
	}
	r.requeue(back)
	back.Loan, r.reopened = &last, loanID
	r.settle()
	return r.decide(&last, nil, nil), nil
}

// Renew gives a loan a later due date. The reader is the borrower.
func (c Circulation) Renew(loanID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	lent := r.loan(loanID)
	if lent == nil {
		return Decision{}, ErrNotOpen
	}
	renewed := *lent.Loan
	renewed.Awaited, renewed.BorrowerOverdue = len(r.Queue), c.Reader.Overdue > 0
	renewed.BorrowerBlocked = c.Reader.Block != ""
	renewed.Category, renewed.Kind = c.Reader.Category, c.Book.Kind
	if err := renewed.mayRenew(c.Policy, now); err != nil {
		return Decision{}, err
	}
	renewed.Renewals++
	due := renewed.renewed(c.Policy, now)
	renewed.Due, renewed.Rule = due.Value, due.Rule
	lent.Loan = &renewed
	return r.decide(&renewed, nil, nil), nil
}

// PlaceHold puts the reader at the end of the queue.
func (c Circulation) PlaceHold(now time.Time) (Decision, error) {
	r := c.ruling(now)
	if err := r.mayAsk(); err != nil {
		return Decision{}, err
	}
	stock := r.Stock()
	if r.ownHold() != nil || r.place() > 0 {
		return Decision{}, ErrAlreadyHeld
	}
	if err := r.mayBeReserved(); err != nil {
		return Decision{}, err
	}
	switch {
	case stock.Copies == 0:
		return Decision{}, ErrNotLendable
	case stock.Available > 0:
		return Decision{}, onShelf(r.terms(now))
	}
	if err := r.holdLimit(); err != nil {
		return Decision{}, err
	}
	h := Hold{ID: NewID(), Book: c.Book.ref(), Holder: c.Reader.Person, State: Waiting, Created: now, Position: len(r.Queue) + 1}
	r.Queue = append(r.Queue, h)
	return r.decide(nil, &h, nil), nil
}

// CancelHold ends a hold. Its copy goes to the next in the queue.
func (c Circulation) CancelHold(holdID string, now time.Time) (Decision, error) {
	r := c.ruling(now)
	if !r.endHold(holdID, Cancelled) {
		return Decision{}, ErrNotActive
	}
	r.settle()
	return r.decide(nil, nil, nil), nil
}

// CancelHolds ends the reader's holds.
func (c Circulation) CancelHolds(now time.Time) (Decision, error) {
	r := c.ruling(now)
	for h := range r.before.holds() {
		if h.Holder.ID == c.Reader.ID {
			r.endHold(h.ID, Cancelled)
		}
	}
	r.settle()
	return r.decide(nil, nil, nil), nil
}

// FetchHold records whether staff have fetched the copy of a ready hold from its shelf.
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
	return r.decide(nil, &h, nil), nil
}

// AddCopy adds a copy to the book.
func (c Circulation) AddCopy(added Copy, now time.Time) (Decision, error) {
	r := c.ruling(now)
	if len(r.Copies) >= MaxCopies {
		return Decision{}, ErrTooManyCopies
	}
	fields := added.CopyFields
	added.CopyFields = CopyFields{}
	added.become(fields, now)
	r.Copies = append(r.Copies, added)
	r.settle()
	return r.decide(nil, nil, r.copy(added.ID)), nil
}

// EditCopy replaces a copy's fields. A lent copy may be marked as lost or damaged: the loan stays
// open. If a copy on the hold shelf can no longer be lent, its hold goes back to the front of the
// queue.
func (c Circulation) EditCopy(id string, f CopyFields, pre Precondition, now time.Time) (Decision, error) {
	r := c.ruling(now)
	edited := r.copy(id)
	switch {
	case edited == nil:
		return Decision{}, ErrCopyNotFound
	case !pre.Accepts(edited.Version):
		return Decision{}, ErrOutdated
	case edited.Loan != nil && (f.State == Reference || f.State == Missing):
		return Decision{}, ErrCopyOnLoan
	}
	edited.become(f, now)
	edited.Version = NewVersion()
	if edited.Hold != nil {
		h := *edited.Hold
		h.Barcode, edited.Hold = f.Barcode, &h
	}
	if f.State != Lendable {
		r.requeue(edited)
	}
	r.settle()
	return r.decide(nil, nil, r.copy(id)), nil
}

// RemoveCopy removes a copy, unless it is lent. Its hold goes back to the front of the queue.
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
	return r.decide(nil, nil, nil), nil
}

// Settle expires holds and sets copies aside as of now.
func (c Circulation) Settle(now time.Time) (Decision, error) {
	return c.ruling(now).decide(nil, nil, nil), nil
}

// Edit returns the book with new fields. Loans and holds stay as they are.
func (c Circulation) Edit(f BookFields, pre Precondition) (Book, error) {
	if !pre.Accepts(c.Book.Version) {
		return Book{}, ErrOutdated
	}
	b := c.shown()
	b.BookFields, b.Version = f.Complete(), NewVersion()
	return b, nil
}

// Delete allows deleting a book without open loans and active holds.
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
	return r.decide(nil, nil, nil), nil
}
