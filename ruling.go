package library

import (
	"slices"
	"time"
)

// ruling is the work of a rule on a circulation.
type ruling struct {
	Circulation
	now    time.Time
	before Circulation
	closed []Loan
	ended  []Hold

	reopened  string // identifier of the loan to open again; "" for none
	asClaimed bool   // a loan ends as of its claim
	several   bool   // the reader may have other copies
	due       Date   // of new loans, in place of the policy; zero for none
}

// ruling begins a rule: on a copy of the circulation, settled as of now.
func (c Circulation) ruling(now time.Time) *ruling {
	r := &ruling{Circulation: c, now: now, before: c}
	r.Copies, r.Queue = slices.Clone(c.Copies), slices.Clone(c.Queue)
	r.settle()
	return r
}

// settle expires holds not fetched in time, and sets free copies aside for the queue.
func (r *ruling) settle() {
	for i := range r.Copies {
		if h := r.Copies[i].Hold; h != nil && r.now.After(h.Until) {
			r.endHold(h.ID, Expired)
		}
	}
	for i := range r.Copies {
		r.setAside(&r.Copies[i])
	}
	for i := range r.Queue {
		r.Queue[i].Position = i + 1
	}
}

// setAside sets a copy aside for the first waiter, if the copy is free and somebody waits.
func (r *ruling) setAside(c *Copy) {
	if len(r.Queue) == 0 || !c.free() {
		return
	}
	next := r.Queue[0]
	r.Queue = r.Queue[1:]
	next.State, next.Position = Ready, 0
	next.CopyID, next.Barcode = c.ID, c.Barcode
	next.Until = r.Policy.HoldUntil(r.now)
	c.Hold = &next
}

// lend lends a copy to the reader if the policy allows it.
func (r *ruling) lend(chosen *Copy) (Decision, error) {
	if err := r.mayBorrow(); err != nil {
		return Decision{}, err
	}
	return r.decide(r.give(chosen), nil, nil), nil
}

// give lends a copy to the reader, and fulfils the reader's hold. A waiting hold never meets a free copy.
func (r *ruling) give(chosen *Copy) *Loan {
	if held := r.ownHold(); held != nil {
		r.endHold(held.Hold.ID, Fulfilled)
	}
	r.see(chosen)
	due := r.Policy.DueDate(r.terms(r.now), r.now)
	if r.due != (Date{}) {
		due = Ruled[time.Time]{Value: r.Policy.openDay(r.due).End(r.Policy.Zone())}
	}
	chosen.Loan = &Loan{
		ID: NewID(), Book: r.Book.ref(), CopyID: chosen.ID, Barcode: chosen.Barcode,
		Borrower: r.Reader.Person, Since: r.now, Due: due.Value, Rule: due.Rule,
		Category: r.Reader.Category, Kind: r.Book.Kind, Several: r.several, DueGiven: r.due != (Date{}),
	}
	r.settle() // another copy may have been set aside for the reader
	return chosen.Loan
}

// giveBack ends the loan of a copy, which goes to the first waiter before any other copy.
func (r *ruling) giveBack(lent *Copy, atDesk bool) Decision {
	closed := *lent.Loan
	closed.Returned = r.now
	if r.asClaimed {
		closed.Returned = closed.Claimed
	}
	r.closed = append(r.closed, closed)
	lent.Loan = nil
	r.see(lent)
	r.setAside(lent)
	r.settle()
	if atDesk && lent.Hold != nil && lent.Hold.Fetched.IsZero() {
		fetched := *lent.Hold
		fetched.Fetched, lent.Hold = r.now, &fetched
	}
	return r.decide(&closed, lent.Hold, nil)
}

// endHold ends an active hold, and reports whether there was one.
func (r *ruling) endHold(id string, how HoldState) bool {
	end := func(h Hold) {
		h.State, h.Ended = how, r.now
		h.Position, h.CopyID, h.Barcode, h.Until, h.Fetched = 0, "", "", time.Time{}, time.Time{}
		r.ended = append(r.ended, h)
	}
	for i := range r.Copies {
		if h := r.Copies[i].Hold; h != nil && h.ID == id {
			r.Copies[i].Hold = nil
			end(*h)
			return true
		}
	}
	i := slices.IndexFunc(r.Queue, func(h Hold) bool { return h.ID == id })
	if i < 0 {
		return false
	}
	end(r.Queue[i])
	r.Queue = slices.Delete(r.Queue, i, i+1)
	return true
}

// requeue puts the hold of a copy back into its place in the queue: before all later holds.
func (r *ruling) requeue(c *Copy) {
	if c.Hold == nil {
		return
	}
	h := *c.Hold
	c.Hold = nil
	h.State, h.CopyID, h.Barcode, h.Until, h.Fetched = Waiting, "", "", time.Time{}, time.Time{}
	at, _ := slices.BinarySearchFunc(r.Queue, h, func(a, b Hold) int { return a.compare(b) })
	r.Queue = slices.Insert(r.Queue, at, h)
}

// whyNoCopy returns the reason to refuse a loan without a copy for the reader.
func (r *ruling) whyNoCopy() error {
	stock := r.Stock()
	switch place := r.place(); {
	case place > 0:
		return stillWaiting(place)
	case stock.Copies == 0:
		return ErrNotLendable
	case stock.Ready > 0:
		return ErrReserved
	}
	return allLent(stock, r.Policy, r.now)
}

// ownLoan returns the copy lent to the reader for the longest time, ownHold the one set aside for the reader, and firstFree
// a free one; nil for none.
func (r *ruling) ownLoan() (own *Copy) {
	for i, c := range r.Copies {
		if c.Loan != nil && c.Loan.Borrower.ID == r.Reader.ID && (own == nil || c.Loan.olderThan(*own.Loan)) {
			own = &r.Copies[i]
		}
	}
	return own
}

func (r *ruling) ownHold() *Copy {
	return r.find(func(c Copy) bool { return c.Hold != nil && c.Hold.Holder.ID == r.Reader.ID })
}

func (r *ruling) firstFree() *Copy { return r.find(Copy.free) }

func (r *ruling) copy(id string) *Copy { return r.find(func(c Copy) bool { return c.ID == id }) }

func (r *ruling) loan(id string) *Copy {
	return r.find(func(c Copy) bool { return c.Loan != nil && c.Loan.ID == id })
}

func (r *ruling) find(is func(Copy) bool) *Copy {
	if i := slices.IndexFunc(r.Copies, is); i >= 0 {
		return &r.Copies[i]
	}
	return nil
}

func (r *ruling) drop(copyID string) {
	r.Copies = slices.DeleteFunc(r.Copies, func(c Copy) bool { return c.ID == copyID })
}

// place returns the reader's place in the queue, 0 for none.
func (r *ruling) place() int {
	return 1 + slices.IndexFunc(r.Queue, func(h Hold) bool { return h.Holder.ID == r.Reader.ID })
}

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
