package library

import "slices"

// Decision is what a rule allows: everything that changes, and the records for
// the response to the caller. A store saves it as a whole.
type Decision struct {
	BookID   string
	Happened ChangeKind // BookBorrowed, BookReturned or BookChanged; "" if nobody but the borrower can see a change
	Stock    Stock      // after the change

	Opened  []Loan // new
	Changed []Loan // closed or renewed
	Placed  []Hold // new
	Moved   []Hold // in another state, or with another copy
	Fetched []Hold // fetched, or no longer, and nothing else: the holder need not know

	StayedReady []string // identifiers of the Moved that were ready before, too

	AddedCopies   []Copy
	EditedCopies  []Copy
	RemovedCopies []string

	Notices []Notice // to those whose holds became ready or expired

	Book Book // as it is then, with the loan and the hold of the reader
	Loan Loan // that was opened, closed or renewed, or that the reader had already
	Hold Hold // that was placed, or for which a copy that came back is set aside now
	Copy Copy // that was added or edited

	Forgets bool // the policy keeps no history: who is in what is over is not saved
}

// about ends a rule: what has changed since its beginning, and what it is about.
func (r *ruling) about(l *Loan, h *Hold, c *Copy) Decision {
	d := Decision{BookID: r.Book.ID, Stock: r.Stock()}
	d.compareLoans(r)
	d.compareHolds(r)
	d.compareCopies(r)
	switch {
	case len(d.Opened) > 0:
		d.Happened = BookBorrowed
	case len(r.closed) > 0:
		d.Happened = BookReturned
	case d.Stock != r.before.Stock() || len(d.Placed)+len(d.Moved)+len(d.Fetched)+len(d.AddedCopies)+len(d.EditedCopies)+len(d.RemovedCopies) > 0:
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
		judged := r.judge(*l, l.at(r.now).Overdue) // of the borrower's other loans nothing is known here
		d.Copy.Loan = &judged
	}
	r.forget(&d)
	return d
}

// judge is a loan as of now, of a borrower who has something overdue or not.
func (r *ruling) judge(l Loan, overdue bool) Loan {
	l.Awaited, l.BorrowerOverdue = len(r.Queue), overdue
	return l.Judged(r.Policy, r.now)
}

// Changes reports whether there is anything to save.
func (d Decision) Changes() bool { return d.Happened != "" || len(d.Changed) > 0 }

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
		case old == nil:
			d.Opened = append(d.Opened, *c.Loan)
		case old.Renewals != c.Loan.Renewals || !old.Due.Equal(c.Loan.Due):
			d.Changed = append(d.Changed, *c.Loan)
		}
	}
	d.Changed = append(d.Changed, r.closed...)
}

func loanID(c Copy) string {
	if c.Loan == nil {
		return ""
	}
	return c.Loan.ID
}

func (d *Decision) compareHolds(r *ruling) {
	before := make(map[string]Hold)
	for h := range r.before.holds() {
		before[h.ID] = h
	}
	compare := func(h Hold) {
		old, known := before[h.ID]
		d.tellOfHold(old, h, r.now)
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
	// A copy is free for the next hold when it has been taken from the last.
	slices.SortStableFunc(d.Moved, func(a, b Hold) int { return len(a.CopyID) - len(b.CopyID) })
}

// LoanStep is what has happened to a loan that is Changed.
func (d *Decision) LoanStep(l Loan) Step {
	if l.Open() {
		return LoanRenewed
	}
	return LoanClosed
}

// HoldStep is what has happened to a hold that is Moved.
func (d *Decision) HoldStep(h Hold) Step {
	switch {
	case !h.Ended.IsZero():
		return HoldOver
	case h.State == Ready && !slices.Contains(d.StayedReady, h.ID):
		return HoldBecameReady
	}
	return OtherStep
}

// PlacedStep is what has happened to a hold that is Placed.
func (d *Decision) PlacedStep(h Hold) Step {
	if h.State == Ready {
		return HoldPlacedReady
	}
	return HoldPlaced
}

// holds walks the active holds: those with a copy, then those who wait.
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
	before := make(map[string]string, len(r.before.Copies))
	for _, c := range r.before.Copies {
		before[c.ID] = c.Version
	}
	for _, c := range r.Copies {
		switch version, known := before[c.ID]; {
		case !known:
			d.AddedCopies = append(d.AddedCopies, c)
		case version != c.Version:
			d.EditedCopies = append(d.EditedCopies, c)
		}
		delete(before, c.ID)
	}
	for _, c := range r.before.Copies {
		if _, gone := before[c.ID]; gone {
			d.RemovedCopies = append(d.RemovedCopies, c.ID)
		}
	}
}

// forget takes the person out of what is over, if the policy keeps no history.
// The answer to the caller still has them.
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

// shown is the book with its stock, and with the loan and the hold that the
// reader may see: the reader's own, or the loan of the only one who has the book.
func (c Circulation) shown() Book {
	b := c.Book
	b.Stock, b.Shelves, b.Loan, b.Hold = c.Stock(), c.shelves(), nil, nil
	for h := range c.holds() {
		if h.Holder.ID == c.Reader.ID {
			b.Hold = &h
		}
	}
	for _, copy := range c.Copies {
		if l := copy.Loan; l != nil && (l.Borrower.ID == c.Reader.ID || b.Stock.Lent == 1) {
			b.Loan = l
		}
	}
	return b
}
