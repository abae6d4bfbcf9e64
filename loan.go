package library

import (
	"context"
	"errors"
	"time"

	"example.org/library/internal/pagination"
)

// Loan is one copy with one person. It is open until the copy is returned, and
// is kept after that.
type Loan struct {
	ID       string
	Book     BookRef
	CopyID   string // "" if the copy has been removed since
	Barcode  string // of the copy
	Borrower Person // zero if the person is forgotten
	Since    time.Time
	Due      time.Time // the last moment of the day on which it is due; zero for never
	Returned time.Time // zero while the loan is open
	Renewals int

	// What decides whether it may be renewed, beside the policy.
	Awaited         int  // people who wait for the book
	BorrowerOverdue bool // the borrower has something overdue

	// What depends on the time, set by Service.
	Overdue       bool
	Renewable     bool
	RenewableFrom time.Time // the beginning of the day from which on it is; zero unless it is only too early
}

// LoanFilter says in which state the loans of a list are.
type LoanFilter string

const (
	OpenLoans     LoanFilter = "open"    // by due date, those without one last
	OverdueLoans  LoanFilter = "overdue" // by due date
	ReturnedLoans LoanFilter = "returned"
)

// LoanFilters is every filter of loans.
var LoanFilters = []LoanFilter{OpenLoans, OverdueLoans, ReturnedLoans}

// LoanQuery says which loans to list. Open and overdue ones are ordered by due
// date, those without one last, then identifier; returned ones by the time of
// the return, newest first, then identifier.
type LoanQuery struct {
	Filter LoanFilter // "" for OpenLoans
	UserID string     // "" for no matter whose
	BookID string     // "" for no matter of which book
	Group  string     // of the borrower, without regard to case; "" for no matter which; only for staff
	Now    time.Time  // what is overdue
	Limit  int
	After  *Cursor
}

// LoanStore is what a store does with loans. Those that it returns are complete,
// with Awaited and BorrowerOverdue as of now where they are open.
type LoanStore interface {
	Loan(ctx context.Context, id string, now time.Time) (Loan, error) // ErrLoanNotFound
	Loans(ctx context.Context, q LoanQuery) ([]Loan, error)
	CountLoans(ctx context.Context, q LoanQuery) (int, error)
}

// Open reports whether the borrower still has the copy.
func (l Loan) Open() bool { return l.Returned.IsZero() }

// at is the loan as of now.
func (l Loan) at(now time.Time) Loan {
	l.Overdue = l.Open() && !l.Due.IsZero() && now.After(l.Due)
	return l
}

// Judged is the loan as of now under a policy.
func (l Loan) Judged(p Policy, now time.Time) Loan {
	l = l.at(now)
	l.Renewable, l.RenewableFrom = false, time.Time{}
	if !l.Open() {
		return l
	}
	err := l.mayRenew(p, now)
	l.Renewable = err == nil
	if errors.Is(err, ErrTooEarly) {
		l.RenewableFrom = l.renewableFrom(p)
	}
	return l
}

// mayRenew returns nil if an open loan may be renewed.
func (l Loan) mayRenew(p Policy, now time.Time) error {
	switch {
	case l.Renewals >= p.Renewals:
		return renewalLimit(l.at(now), p)
	case l.Awaited > 0:
		return awaited(l.at(now), p)
	case p.BlockOverdue && l.BorrowerOverdue:
		return ErrHasOverdue
	case l.renewed(p, now).Equal(l.Due):
		return tooEarly(l, p)
	}
	return nil
}

// renewed is the due date after a renewal: counted from today, and never earlier
// than the old one. A zero date is none: a loan without one gets one as soon as
// the policy has.
func (l Loan) renewed(p Policy, now time.Time) time.Time {
	due := p.DueDate(now)
	if due.IsZero() || due.After(l.Due) {
		return due
	}
	return l.Due
}

// renewableFrom is when the first day begins on which a renewal moves the due
// date; zero if none does, because neither the loan nor the policy has a date.
// That is not always the day after the one on which the loan was made: loans of
// several days can end on the same open day.
func (l Loan) renewableFrom(p Policy) time.Time {
	if l.Due.IsZero() || p.LoanDays == 0 {
		return time.Time{}
	}
	next := p.Day(l.Due.Add(time.Second)) // the first day whose end is later
	for i := 0; i < p.longestClosure() && p.closed(next.AddDays(-1)); i++ {
		next = next.AddDays(-1)
	}
	return p.DayBegins(next.AddDays(-p.LoanDays))
}

// Borrow lends a copy of a book to the actor.
func (s *Service) Borrow(ctx context.Context, a Actor, bookID string) (Book, error) {
	return circulate(ctx, s, a, Lend, scope{book: bookID}, byOneself(Policy.SelfBorrow, Circulation.Borrow), s.presentBook)
}

// Return ends the actor's loan of a book.
func (s *Service) Return(ctx context.Context, a Actor, bookID string) (Book, error) {
	return circulate(ctx, s, a, Lend, scope{book: bookID}, byOneself(Policy.SelfReturn, Circulation.Return), s.presentBook)
}

// byOneself is a rule for readers without the desk. Whether the policy lets them
// comes before all that the rule itself could refuse.
func byOneself(allowed func(Policy) error, r Rule) Rule {
	return func(c Circulation, now time.Time) (Decision, error) {
		if err := allowed(c.Policy); err != nil {
			return Decision{}, err
		}
		return r(c, now)
	}
}

// Lending is what is lent at the desk: to whom, and one of a book, a copy and a
// barcode.
type Lending struct {
	UserID                  string
	BookID, CopyID, Barcode string
}

// Lend lends at the desk.
func (s *Service) Lend(ctx context.Context, a Actor, l Lending) (Loan, error) {
	if err := a.Precheck(Curate); err != nil {
		return Loan{}, err
	}
	bookID, copyID, err := s.meant(ctx, l)
	if err != nil {
		return Loan{}, err
	}
	return circulate(ctx, s, a, Curate, scope{book: bookID, reader: l.UserID}, func(c Circulation, now time.Time) (Decision, error) {
		return c.Lend(copyID, now)
	}, presentLoan)
}

// meant is the book, and the copy if one is named, that is to be lent.
func (s *Service) meant(ctx context.Context, l Lending) (bookID, copyID string, err error) {
	var c Copy
	switch {
	case l.BookID != "":
		return l.BookID, "", nil
	case l.CopyID != "":
		c, err = s.store.Copy(ctx, l.CopyID)
	default:
		c, err = s.store.CopyByBarcode(ctx, l.Barcode)
	}
	return c.BookID, c.ID, err
}

// Renew gives a loan a new due date: one's own, or any for curators.
func (s *Service) Renew(ctx context.Context, a Actor, id string) (Loan, error) {
	renew := func(c Circulation, now time.Time) (Decision, error) { return c.Renew(id, now) }
	return onLoan(ctx, s, a, id, renew, renew, presentLoan)
}

// ReturnedLoan is a loan that has ended.
type ReturnedLoan struct {
	Loan
	SetAside *Hold // for which the copy is set aside now, if there is one; only for staff
}

// ReturnLoan ends a loan: one's own, or any for curators.
func (s *Service) ReturnLoan(ctx context.Context, a Actor, id string) (ReturnedLoan, error) {
	takeBack := func(atDesk bool) Rule {
		return func(c Circulation, now time.Time) (Decision, error) { return c.ReturnLoan(id, atDesk, now) }
	}
	return onLoan(ctx, s, a, id, byOneself(Policy.SelfReturn, takeBack(false)), takeBack(true),
		func(caller Actor, d Decision) ReturnedLoan {
			if d.Hold.ID == "" || !caller.IsStaff() {
				return ReturnedLoan{Loan: d.Loan}
			}
			return ReturnedLoan{Loan: d.Loan, SetAside: &d.Hold}
		})
}

// onLoan asks a rule about the book of a loan, if the actor may change the loan:
// one for readers, and one for the desk, which is where curators are.
func onLoan[T any](ctx context.Context, s *Service, a Actor, id string, own, desk Rule, present func(Actor, Decision) T) (none T, err error) {
	l, err := s.Loan(ctx, a, id)
	if err != nil {
		return none, err
	}
	p, err := a.Handles(l.Borrower)
	if err != nil {
		return none, err
	}
	if !l.Open() {
		return none, ErrNotOpen
	}
	r := own
	if p == Curate {
		r = desk
	}
	result, err := circulate(ctx, s, a, p, scope{book: l.Book.ID, reader: l.Borrower.ID}, r, present)
	return result, insteadOf(err, ErrBookNotFound, ErrNotOpen) // returned, and the book deleted, meanwhile
}

// Loan returns one loan: one's own, or any for staff.
func (s *Service) Loan(ctx context.Context, a Actor, id string) (Loan, error) {
	now := s.now()
	l, err := s.store.Loan(ctx, id, now)
	if err == nil && !a.Sees(l.Borrower) {
		err = ErrLoanNotFound
	}
	if err != nil {
		return Loan{}, err
	}
	p, err := s.store.Policy(ctx)
	return l.Judged(p, now), err
}

// Loans lists loans: one's own, or everybody's for staff.
func (s *Service) Loans(ctx context.Context, a Actor, q LoanQuery) (List[Loan], error) {
	if q.Group != "" && !a.IsStaff() {
		return List[Loan]{}, a.Authorize(Oversee)
	}
	var err error
	if q.UserID, err = a.ListsOf(q.UserID); err != nil {
		return List[Loan]{}, err
	}
	if q.Filter == "" {
		q.Filter = OpenLoans
	}
	q.Now = s.now()
	p, err := s.store.Policy(ctx)
	if err != nil {
		return List[Loan]{}, err
	}
	return pagination.Read(pager[Loan]{
		Limit: q.Limit, After: q.After,
		Count: func() (int, error) { return s.store.CountLoans(ctx, q) },
		Read: func(limit, _ int, after *Cursor) ([]Loan, error) {
			q.Limit, q.After = limit, after
			return s.store.Loans(ctx, q)
		},
		Show:   func(l Loan) Loan { return l.Judged(p, q.Now) },
		Bytes:  Loan.Weight,
		Cursor: func(l Loan) Cursor { return l.Cursor(q.Filter) },
	})
}

// Weight is about how many bytes the loan takes in memory.
func (l Loan) Weight() int { return 512 + l.Book.Weight() }

// Cursor is the place of the loan in a list.
func (l Loan) Cursor(filter LoanFilter) Cursor {
	if filter == ReturnedLoans {
		return Cursor{Order: loansByReturn, Created: l.Returned, ID: l.ID}
	}
	return Cursor{Order: loansByDue, Created: l.Due, ID: l.ID}
}

// Order is the order of a list of loans.
func (f LoanFilter) Order() Order {
	if f == ReturnedLoans {
		return loansByReturn
	}
	return loansByDue
}
