package lendingmodel

import (
	"time"

	"example.org/library"
	"example.org/library/statistics"
	"example.org/library/storetest/fixture"
)

// Views are what a person sees of a library, in a form in which the service and the
// model can be compared.

type bookView struct {
	ID, Title                  string
	Copies, Available, Waiting int
	Borrowed                   bool
	Due                        time.Time
	Shelves                    []string
	Loan                       *loanView // in brief
	Hold                       *holdView // in brief
}

type copyView struct {
	ID, Book, Barcode, Shelf string
	State                    library.CopyState
	Seen, MissingSince       time.Time
	Loan                     *loanView
	Hold                     *holdView
}

type loanView struct {
	ID, Book, Title, Copy, Barcode, Who string
	Since, Due, Returned, Claimed       time.Time
	Lost                                bool
	Rule                                string
	Several                             bool
	Renewals                            int
	Overdue, Renewable                  bool
}

type holdView struct {
	ID, Book, Title, Copy, Barcode, Who string
	State                               library.HoldState
	Position                            int
	Until, Fetched, Created, Ended      time.Time
}

type readerView struct {
	ID             string
	Loans, Overdue int
}

type countsView struct{ Books, Copies, OpenLoans, OverdueLoans, WaitingHolds, ReadyHolds int }

// brief is a loan as it comes with a book or a copy.
func (l loanView) brief() *loanView {
	return &loanView{ID: l.ID, Who: l.Who, Due: l.Due, Renewals: l.Renewals, Overdue: l.Overdue}
}

func (h holdView) brief() *holdView {
	return &holdView{ID: h.ID, Who: h.Who, State: h.State, Position: h.Position, Until: h.Until}
}

// Views of what the service shows.

func viewOfBook(b library.Book) bookView {
	s := bookView{
		ID: b.ID, Title: b.Title, Copies: b.Stock.Copies, Available: b.Stock.Available, Waiting: b.Stock.Waiting,
		Borrowed: b.Stock.Borrowed, Due: b.Stock.Due, Shelves: b.Shelves,
	}
	if b.Loan != nil {
		s.Loan = viewOfLoan(*b.Loan).brief()
	}
	if b.Hold != nil {
		s.Hold = viewOfHold(*b.Hold).brief()
	}
	return s
}

func viewOfCopy(c library.Copy) copyView {
	s := copyView{ID: c.ID, Book: c.BookID, Barcode: c.Barcode, Shelf: c.Shelf, State: c.State, Seen: c.Seen, MissingSince: c.MissingSince}
	if c.Loan != nil {
		l := viewOfLoan(*c.Loan)
		s.Loan = &l
	}
	if c.Hold != nil {
		h := viewOfHold(*c.Hold)
		s.Hold = &h
	}
	return s
}

func viewOfLoan(l library.Loan) loanView {
	return loanView{
		ID: l.ID, Book: l.Book.ID, Title: l.Book.Title, Copy: l.CopyID, Barcode: l.Barcode, Who: l.Borrower.ID,
		Since: l.Since, Due: l.Due, Returned: l.Returned, Renewals: l.Renewals, Overdue: l.Overdue, Renewable: l.Renewable,
		Claimed: l.Claimed, Lost: l.Lost, Rule: l.Rule, Several: l.Several,
	}
}

func viewOfHold(h library.Hold) holdView {
	return holdView{
		ID: h.ID, Book: h.Book.ID, Title: h.Book.Title, Copy: h.CopyID, Barcode: h.Barcode, Who: h.Holder.ID,
		State: h.State, Position: h.Position, Until: h.Until, Fetched: h.Fetched, Created: h.Created, Ended: h.Ended,
	}
}

func viewOfReader(r library.Reader) readerView {
	return readerView{ID: r.ID, Loans: r.Loans, Overdue: r.Overdue}
}

func viewOfCounts(s statistics.Report) countsView {
	return countsView{s.Books, s.Copies, s.OpenLoans, s.OverdueLoans, s.WaitingHolds, s.ReadyHolds}
}

// Views of the model.

// showBook is a book as a person sees it: with the person's own loan, or, for staff,
// with the open loan if there is only one.
func (m *model) showBook(p member, b title) bookView {
	s := bookView{ID: b.id, Title: b.title, Copies: m.lendable(b.id), Waiting: m.waiting(b.id)}
	s.Available = fixture.Count(m.copies, func(c item) bool { return c.book == b.id && m.isFree(c) })
	withSomebody := 0
	for _, c := range m.copies {
		if l := m.loanOf(c.id); c.book == b.id && c.state == library.Lendable && l != nil {
			withSomebody++
			if s.Available == 0 && !l.due.IsZero() && (s.Due.IsZero() || l.due.Before(s.Due)) {
				s.Due = l.due
			}
		}
	}
	s.Borrowed = s.Copies > 0 && withSomebody == s.Copies
	for _, shelf := range fixture.Shelves {
		if first(m.copies, func(c item) bool { return c.book == b.id && c.state == library.Lendable && c.shelf == shelf }) != nil {
			s.Shelves = append(s.Shelves, shelf)
		}
	}
	if l := m.firstDue(b.id, p.User.ID); l != nil {
		s.Loan = m.showLoan(*l).brief()
	} else if only := m.firstDue(b.id, ""); p.staff() && only != nil {
		s.Loan = m.showLoan(*only).brief()
	}
	if h := m.activeHold(b.id, p.User.ID); h != nil {
		s.Hold = m.showHold(*h).brief()
	}
	return s
}

func (m *model) showCopy(c item) copyView {
	s := copyView{ID: c.id, Book: c.book, Barcode: c.barcode, Shelf: c.shelf, State: c.state, Seen: m.seen[c.id], MissingSince: c.missingSince}
	if lent := m.loanOf(c.id); lent != nil {
		l := m.showLoan(*lent)
		s.Loan = &l
	}
	if aside := first(m.holds, func(h hold) bool { return h.copy == c.id }); aside != nil {
		h := m.showHold(*aside)
		s.Hold = &h
	}
	return s
}

func (m *model) showLoan(l loan) loanView {
	return loanView{
		ID: l.id, Book: l.book, Title: l.title, Copy: l.copy, Barcode: m.barcode(l.copy), Who: l.who,
		Since: l.since, Due: l.due, Returned: l.returned, Renewals: l.renewals,
		Overdue: m.isOverdue(l), Renewable: m.whyNotRenew(l) == "",
		Claimed: l.claimed, Lost: l.lost, Rule: l.rule, Several: l.several,
	}
}

func (m *model) showHold(h hold) holdView {
	return holdView{
		ID: h.id, Book: h.book, Title: h.title, Copy: h.copy, Barcode: m.barcode(h.copy), Who: h.who,
		State: h.state, Position: m.position(h), Until: h.until, Fetched: h.fetched, Created: h.created, Ended: h.ended,
	}
}

// showHoldTo is a hold as a person sees it.
func (m *model) showHoldTo(p member, h hold) holdView {
	view := m.showHold(h)
	if !p.staff() {
		view.Fetched = time.Time{}
	}
	return view
}

func (m *model) barcode(copyID string) string {
	if c := m.copy(copyID); c != nil {
		return c.barcode
	}
	return ""
}

func (m *model) showReader(p member) readerView {
	return readerView{ID: p.User.ID, Loans: m.openLoans(p.User.ID), Overdue: m.overdueLoans(p.User.ID)}
}

func (m *model) counts() countsView {
	return countsView{
		Books:        fixture.Count(m.books, func(b title) bool { return !b.deleted }),
		Copies:       fixture.Count(m.copies, func(c item) bool { return c.state == library.Lendable }),
		OpenLoans:    fixture.Count(m.loans, loan.open),
		OverdueLoans: fixture.Count(m.loans, m.isOverdue),
		WaitingHolds: fixture.Count(m.holds, func(h hold) bool { return h.state == library.Waiting }),
		ReadyHolds:   fixture.Count(m.holds, func(h hold) bool { return h.state == library.Ready }),
	}
}
