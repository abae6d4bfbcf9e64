package lendingmodel

import (
	"time"

	"example.org/library"
	"example.org/library/storetest/fixture"
)

// What somebody sees of the library, whether it was found out from the service
// or from its regulations.

type seenBook struct {
	ID, Title                  string
	Copies, Available, Waiting int
	Borrowed                   bool
	Due                        time.Time
	Shelves                    []string
	Loan                       *seenLoan // in brief
	Hold                       *seenHold // in brief
}

type seenCopy struct {
	ID, Book, Barcode, Shelf string
	State                    library.CopyState
	Loan                     *seenLoan
	Hold                     *seenHold
}

type seenLoan struct {
	ID, Book, Title, Copy, Barcode, Who string
	Since, Due, Returned                time.Time
	Renewals                            int
	Overdue, Renewable                  bool
}

type seenHold struct {
	ID, Book, Title, Copy, Barcode, Who string
	State                               library.HoldState
	Position                            int
	Until, Fetched, Created, Ended      time.Time
}

type seenReader struct {
	ID             string
	Loans, Overdue int
}

type seenCounts struct{ Books, Copies, OpenLoans, OverdueLoans, WaitingHolds, ReadyHolds int }

// brief is a loan as it comes with a book or a copy.
func (l seenLoan) brief() *seenLoan {
	return &seenLoan{ID: l.ID, Who: l.Who, Due: l.Due, Renewals: l.Renewals, Overdue: l.Overdue}
}

func (h seenHold) brief() *seenHold {
	return &seenHold{ID: h.ID, Who: h.Who, State: h.State, Position: h.Position, Until: h.Until}
}

// How the service shows it.

func seeBook(b library.Book) seenBook {
	s := seenBook{
		ID: b.ID, Title: b.Title, Copies: b.Stock.Copies, Available: b.Stock.Available, Waiting: b.Stock.Waiting,
		Borrowed: b.Stock.Borrowed, Due: b.Stock.Due, Shelves: b.Shelves,
	}
	if b.Loan != nil {
		s.Loan = seeLoan(*b.Loan).brief()
	}
	if b.Hold != nil {
		s.Hold = seeHold(*b.Hold).brief()
	}
	return s
}

func seeCopy(c library.Copy) seenCopy {
	s := seenCopy{ID: c.ID, Book: c.BookID, Barcode: c.Barcode, Shelf: c.Shelf, State: c.State}
	if c.Loan != nil {
		l := seeLoan(*c.Loan)
		s.Loan = &l
	}
	if c.Hold != nil {
		h := seeHold(*c.Hold)
		s.Hold = &h
	}
	return s
}

func seeLoan(l library.Loan) seenLoan {
	return seenLoan{
		ID: l.ID, Book: l.Book.ID, Title: l.Book.Title, Copy: l.CopyID, Barcode: l.Barcode, Who: l.Borrower.ID,
		Since: l.Since, Due: l.Due, Returned: l.Returned, Renewals: l.Renewals, Overdue: l.Overdue, Renewable: l.Renewable,
	}
}

func seeHold(h library.Hold) seenHold {
	return seenHold{
		ID: h.ID, Book: h.Book.ID, Title: h.Book.Title, Copy: h.CopyID, Barcode: h.Barcode, Who: h.Holder.ID,
		State: h.State, Position: h.Position, Until: h.Until, Fetched: h.Fetched, Created: h.Created, Ended: h.Ended,
	}
}

func seeReader(r library.Reader) seenReader {
	return seenReader{ID: r.ID, Loans: r.Loans, Overdue: r.Overdue}
}

func seeCounts(s library.Statistics) seenCounts {
	return seenCounts{s.Books, s.Copies, s.OpenLoans, s.OverdueLoans, s.WaitingHolds, s.ReadyHolds}
}

// What the regulations say about it.

// showBook is a book as a person sees it: with the person's own loan, or, for
// staff, with that of the only one who has it.
func (r *regulations) showBook(p member, b title) seenBook {
	s := seenBook{ID: b.id, Title: b.title, Copies: r.lendable(b.id), Waiting: r.waiting(b.id)}
	s.Available = fixture.Count(r.copies, func(c item) bool { return c.book == b.id && r.isFree(c) })
	withSomebody := 0
	for _, c := range r.copies {
		if l := r.loanOf(c.id); c.book == b.id && c.state == library.Lendable && l != nil {
			withSomebody++
			if s.Available == 0 && !l.due.IsZero() && (s.Due.IsZero() || l.due.Before(s.Due)) {
				s.Due = l.due
			}
		}
	}
	s.Borrowed = s.Copies > 0 && withSomebody == s.Copies
	for _, shelf := range fixture.Shelves {
		if first(r.copies, func(c item) bool { return c.book == b.id && c.state == library.Lendable && c.shelf == shelf }) != nil {
			s.Shelves = append(s.Shelves, shelf)
		}
	}
	if l := r.openLoan(b.id, p.User.ID); l != nil {
		s.Loan = r.showLoan(*l).brief()
	} else if p.staff() && r.lentOf(b.id) == 1 {
		only := first(r.loans, func(l lent) bool { return l.open() && l.book == b.id })
		s.Loan = r.showLoan(*only).brief()
	}
	if h := r.activeHold(b.id, p.User.ID); h != nil {
		s.Hold = r.showHold(*h).brief()
	}
	return s
}

func (r *regulations) showCopy(c item) seenCopy {
	s := seenCopy{ID: c.id, Book: c.book, Barcode: c.barcode, Shelf: c.shelf, State: c.state}
	if lent := r.loanOf(c.id); lent != nil {
		l := r.showLoan(*lent)
		s.Loan = &l
	}
	if aside := first(r.holds, func(h place) bool { return h.copy == c.id }); aside != nil {
		h := r.showHold(*aside)
		s.Hold = &h
	}
	return s
}

func (r *regulations) showLoan(l lent) seenLoan {
	return seenLoan{
		ID: l.id, Book: l.book, Title: l.title, Copy: l.copy, Barcode: r.barcode(l.copy), Who: l.who,
		Since: l.since, Due: l.due, Returned: l.returned, Renewals: l.renewals,
		Overdue: r.isOverdue(l), Renewable: r.whyNotRenew(l) == "",
	}
}

func (r *regulations) showHold(h place) seenHold {
	return seenHold{
		ID: h.id, Book: h.book, Title: h.title, Copy: h.copy, Barcode: r.barcode(h.copy), Who: h.who,
		State: h.state, Position: r.position(h), Until: h.until, Fetched: h.fetched, Created: h.created, Ended: h.ended,
	}
}

// showHoldTo is a hold as a person sees it.
func (r *regulations) showHoldTo(p member, h place) seenHold {
	seen := r.showHold(h)
	if !p.staff() {
		seen.Fetched = time.Time{}
	}
	return seen
}

func (r *regulations) barcode(copyID string) string {
	if c := r.copy(copyID); c != nil {
		return c.barcode
	}
	return ""
}

func (r *regulations) showReader(p member) seenReader {
	return seenReader{ID: p.User.ID, Loans: r.openLoans(p.User.ID), Overdue: r.overdueLoans(p.User.ID)}
}

func (r *regulations) counts() seenCounts {
	return seenCounts{
		Books:        fixture.Count(r.books, func(b title) bool { return !b.deleted }),
		Copies:       fixture.Count(r.copies, func(c item) bool { return c.state == library.Lendable }),
		OpenLoans:    fixture.Count(r.loans, lent.open),
		OverdueLoans: fixture.Count(r.loans, r.isOverdue),
		WaitingHolds: fixture.Count(r.holds, func(h place) bool { return h.state == library.Waiting }),
		ReadyHolds:   fixture.Count(r.holds, func(h place) bool { return h.state == library.Ready }),
	}
}
