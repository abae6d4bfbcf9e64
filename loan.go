package library

import (
	"context"
	"errors"
	"time"
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

	// What depends on the time, set by Judged.
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
