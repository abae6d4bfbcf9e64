package library

import (
	"cmp"
	"slices"
	"time"
)

// Decision is the outcome of a rule: all changed records, and the records for the response. A store
// saves it as a whole.
type Decision struct {
	BookID   string
	Happened ChangeKind // BookBorrowed, BookReturned or BookChanged; "" for a change visible only to the borrower
	Stock    Stock      // after the change

	Opened   []Loan // new
	Reopened []Loan // the return is undone
	Changed  []Loan // closed, renewed or moved to another copy
	Placed   []Hold // new
	Moved    []Hold // in another state, or with another copy
	Fetched  []Hold // fetched, or no longer, and nothing else: the holder need not know

	StayedReady []string // identifiers of the Moved holds with another copy
	OtherCopy   []string // identifiers of the Changed loans with another copy
	Claims      []string // identifiers of the Changed loans with a claim, or without it again
	Swapped     bool     // a loan was moved to the copy in somebody's hand, or away from it

	AddedCopies   []Copy
	EditedCopies  []Copy
	RemovedCopies []string
	TouchedCopies []Copy // with another loan or hold, or seen, and otherwise as before

	Notices []Notice // to the holders of ready and expired holds, and to a borrower for whose copy somebody waits

	Book Book // after the change, with the loan and the hold of the reader
	Loan Loan // opened, closed or renewed, or the one the reader had already
	Hold Hold // placed, or the next one for a returned copy
	Copy Copy // added, edited or seen

	MissingSince time.Time // of a missing copy that is seen

	Forgets bool // the policy keeps no history: ended loans and holds are saved without their people
}

// decide ends a rule: it compares the records with their state at its beginning, and adds the records
// for the response.
func (r *ruling) decide(l *Loan, h *Hold, c *Copy) Decision {
	d := Decision{BookID: r.Book.ID, Stock: r.Stock()}
	d.compareLoans(r)
	d.compareHolds(r)
	d.addWaitNotices(r.before.Queue, r)
	d.compareCopies(r)
	switch {
	case len(d.Opened)+len(d.Reopened) > 0:
		d.Happened = BookBorrowed
	case len(r.closed) > 0:
		d.Happened = BookReturned
	case len(d.OtherCopy) > 0 || d.Stock != r.before.Stock() || len(d.Placed)+len(d.Moved)+len(d.Fetched)+len(d.AddedCopies)+len(d.EditedCopies)+len(d.RemovedCopies) > 0:
		d.Happened = BookChanged
	}
	d.Book = r.shown()
	if l != nil {
		d.Loan = r.judge(*l, r.Reader.Overdue > 0)
	}
	if h != nil {
		d.Hold = *h
	}
	if c != nil {
		d.Copy = *c
	}
	if l := d.Copy.Loan; l != nil {
		judged := r.judge(*l, l.at(r.now).Overdue) // the borrower's other loans are not loaded
		d.Copy.Loan = &judged
	}
	r.forget(&d)
	return d
}

// judge is a loan as of now, of a borrower who has something overdue or not.
func (r *ruling) judge(l Loan, overdue bool) Loan {
	l.Awaited, l.BorrowerOverdue, l.Kind = len(r.Queue), overdue, r.Book.Kind
	return l.Judged(r.Policy, r.now)
}

// Changes reports whether there is anything to save.
func (d Decision) Changes() bool {
	return d.Happened != "" || len(d.Changed)+len(d.TouchedCopies) > 0
}

func (d *Decision) compareLoans(r *ruling) {
	before := make(map[string]*Loan)
	for _, c := range r.before.Copies {
		if c.Loan != nil {
			before[c.Loan.ID] = c.Loan
		}
	}
	for _, c := range r.Copies {
		switch old := before[loanID(c)]; {
		case c.Loan == nil:
		case c.Loan.ID == r.reopened:
			d.Reopened = append(d.Reopened, *c.Loan)
		case old == nil:
			d.Opened = append(d.Opened, *c.Loan)
		case old.CopyID != c.Loan.CopyID:
			d.Changed, d.OtherCopy = append(d.Changed, *c.Loan), append(d.OtherCopy, c.Loan.ID)
		case !old.Claimed.Equal(c.Loan.Claimed):
			d.Changed, d.Claims = append(d.Changed, *c.Loan), append(d.Claims, c.Loan.ID)
		case old.Renewals != c.Loan.Renewals || !old.Due.Equal(c.Loan.Due):
			d.Changed = append(d.Changed, *c.Loan)
		}
	}
	for _, l := range r.closed {
		if before[l.ID].CopyID != l.CopyID {
			d.OtherCopy = append(d.OtherCopy, l.ID)
		}
	}
	d.Changed = append(d.Changed, r.closed...)
}

// HasOtherCopy reports whether a loan that is Changed has another copy than before.
func (d *Decision) HasOtherCopy(l Loan) bool { return slices.Contains(d.OtherCopy, l.ID) }

func loanID(c Copy) string {
	if c.Loan == nil {
		return ""
	}
	return c.Loan.ID
}

func holdID(c Copy) string {
	if c.Hold == nil {
		return ""
	}
	return c.Hold.ID
}

func (d *Decision) compareHolds(r *ruling) {
	before := make(map[string]Hold)
	for h := range r.before.holds() {
		before[h.ID] = h
	}
	compare := func(h Hold) {
		old, known := before[h.ID]
		d.addHoldNotices(old, h, r.now)
		switch {
		case !known:
			d.Placed = append(d.Placed, h)
		case old.State != h.State || old.CopyID != h.CopyID:
			d.Moved = append(d.Moved, h)
			if old.State == Ready && h.State == Ready {
				d.StayedReady = append(d.StayedReady, h.ID)
			}
		case !old.Fetched.Equal(h.Fetched):
			d.Fetched = append(d.Fetched, h)
		}
	}
	for h := range r.holds() {
		compare(h)
	}
	for _, h := range r.ended {
		compare(h)
	}
	// The store must take a copy from one hold before it gives it to the next.
	slices.SortStableFunc(d.Moved, func(a, b Hold) int { return len(a.CopyID) - len(b.CopyID) })
}

// LoanStep returns the step of a loan in Changed.
func (d *Decision) LoanStep(l Loan) Step {
	switch {
	case !l.Open():
		return LoanClosed
	case d.HasOtherCopy(l), slices.Contains(d.Claims, l.ID):
		return OtherStep
	}
	return LoanRenewed
}

// HoldStep returns the step of a hold in Moved.
func (d *Decision) HoldStep(h Hold) Step {
	switch {
	case !h.Ended.IsZero():
		return HoldOver
	case h.State == Ready && !slices.Contains(d.StayedReady, h.ID):
		return HoldBecameReady
	}
	return OtherStep
}

// PlacedStep returns the step of a hold in Placed.
func (d *Decision) PlacedStep(h Hold) Step {
	if h.State == Ready {
		return HoldPlacedReady
	}
	return HoldPlaced
}

// holds walks the active holds: first the ready, then the waiting ones.
func (c Circulation) holds() func(yield func(Hold) bool) {
	return func(yield func(Hold) bool) {
		for _, copy := range c.Copies {
			if copy.Hold != nil && !yield(*copy.Hold) {
				return
			}
		}
		for _, h := range c.Queue {
			if !yield(h) {
				return
			}
		}
	}
}

func (d *Decision) compareCopies(r *ruling) {
	before := make(map[string]Copy, len(r.before.Copies))
	for _, c := range r.before.Copies {
		before[c.ID] = c
	}
	for _, c := range r.Copies {
		switch old, known := before[c.ID]; {
		case !known:
			d.AddedCopies = append(d.AddedCopies, c)
		case old.Version != c.Version:
			d.EditedCopies = append(d.EditedCopies, c)
		case !old.Seen.Equal(c.Seen) || loanID(old) != loanID(c) || holdID(old) != holdID(c):
			d.TouchedCopies = append(d.TouchedCopies, c)
		}
		delete(before, c.ID)
	}
	for _, c := range r.before.Copies {
		if _, gone := before[c.ID]; gone {
			d.RemovedCopies = append(d.RemovedCopies, c.ID)
		}
	}
}

// forget removes people from ended loans and holds, if the policy keeps no history. The response still
// has them.
func (r *ruling) forget(d *Decision) {
	days := r.Policy.HistoryDays
	if d.Forgets = days != nil && *days == 0; !d.Forgets {
		return
	}
	for i := range d.Changed {
		if !d.Changed[i].Open() {
			d.Changed[i].Borrower = Person{}
		}
	}
	for i := range d.Moved {
		if !d.Moved[i].Ended.IsZero() {
			d.Moved[i].Holder = Person{}
		}
	}
}

// shown returns the book with its stock, the reader's hold, and the first loan to be due of the reader or of
// the only person who has the book.
func (c Circulation) shown() Book {
	b := c.Book
	b.Stock, b.Shelves, b.Loan, b.Hold = c.Stock(), c.shelves(), nil, nil
	for h := range c.holds() {
		if h.Holder.ID == c.Reader.ID {
			b.Hold = &h
		}
	}
	who := cmp.Or(c.onlyBorrower(), c.Reader.ID)
	for _, copy := range c.Copies {
		if l := copy.Loan; l != nil && l.Borrower.ID == who && (b.Loan == nil || l.before(*b.Loan)) {
			b.Loan = l
		}
	}
	return b
}

// onlyBorrower returns the identifier of the only person who has the book, "" for none or several.
func (c Circulation) onlyBorrower() (only string) {
	for _, copy := range c.Copies {
		switch l := copy.Loan; {
		case l == nil:
		case only != "" && only != l.Borrower.ID:
			return ""
		default:
			only = l.Borrower.ID
		}
	}
	return only
}
