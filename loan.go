package library

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// Loan is one copy with one person. It is open until the copy is returned, and kept afterwards.
type Loan struct {
	ID       string
	Book     BookRef
	CopyID   string // "" if the copy has been removed since
	Barcode  string // of the copy
	Borrower Person // zero if the person is forgotten
	Since    time.Time
	Due      time.Time // the end of the due day; zero for never
	Returned time.Time // zero while the loan is open
	Renewals int
	Claimed  time.Time // when the borrower said to have brought it back; zero for never
	Lost     bool      // it ended with the loss of the copy
	Rule     string    // the name of the rule that decided the due day; "" for the policy
	Several  bool      // lent to somebody who may have several copies of the book
	DueGiven bool      // the due day was given by hand, not by the policy
	Shelf    string    // of the copy

	// Beside the policy, these decide about a renewal.
	Awaited         int    // people waiting for the book
	BorrowerOverdue bool   // the borrower has something overdue
	BorrowerBlocked bool   // see UserFields
	Category        string // of the borrower
	Kind            string // of the book

	// These depend on the time; Judged sets them.
	Overdue       bool
	Renewable     bool
	RenewableFrom time.Time // the beginning of the first day for a renewal; zero unless it is only too early
}

// LoanFilter selects loans of a list by state.
type LoanFilter string

const (
	OpenLoans     LoanFilter = "open"    // by due date, those without one last
	OverdueLoans  LoanFilter = "overdue" // by due date
	ClaimedLoans  LoanFilter = "claimed" // the earliest claim first
	ReturnedLoans LoanFilter = "returned"
)

// LoanFilters is every filter of loans.
var LoanFilters = []LoanFilter{OpenLoans, OverdueLoans, ClaimedLoans, ReturnedLoans}

// LoanQuery selects loans. Open and overdue ones are ordered by due date, those without one last, then
// identifier; claimed ones by the time of the claim; returned ones by the time of the return, newest first,
// then identifier.
type LoanQuery struct {
	Filter LoanFilter     // "" for OpenLoans
	UserID string         // "" for any user
	BookID string         // "" for any book
	Group  string         // of the borrower, without regard to case; "" for any; only for staff
	From   *Date          // the first day of the returns, in the zone of the library; nil for any
	To     *Date          // the last one
	Zone   *time.Location // of the library
	Now    time.Time      // decides the overdue ones
	Limit  int
	After  *Cursor
}

// LoanStore reads loans. Open ones come with Awaited and BorrowerOverdue as of now.
type LoanStore interface {
	Loan(ctx context.Context, id string, now time.Time) (Loan, error) // ErrLoanNotFound
	Loans(ctx context.Context, q LoanQuery) ([]Loan, error)
	CountLoans(ctx context.Context, q LoanQuery) (int, error)
}

// before reports whether the loan is due before another one; without due dates, whether it is older.
func (l Loan) before(other Loan) bool {
	if l.Due.Equal(other.Due) {
		return l.olderThan(other)
	}
	return earlier(l.Due, other.Due).Equal(l.Due)
}

// olderThan reports whether the loan began before another one; of two at once the identifier decides.
func (l Loan) olderThan(other Loan) bool {
	return cmp.Or(l.Since.Compare(other.Since), cmp.Compare(l.ID, other.ID)) < 0
}

// Open reports whether the borrower still has the copy.
func (l Loan) Open() bool { return l.Returned.IsZero() }

// at returns the loan as of now.
func (l Loan) at(now time.Time) Loan {
	l.Overdue = l.Open() && !l.IsClaimed() && !l.Due.IsZero() && now.After(l.Due)
	return l
}

// Judged returns the loan as of now under a policy.
func (l Loan) Judged(p Policy, now time.Time) Loan {
	l = l.at(now)
	l.Renewable, l.RenewableFrom = false, time.Time{}
	if !l.Open() {
		return l
	}
	err := l.mayRenew(p, now)
	l.Renewable = err == nil
	if errors.Is(err, ErrTooEarly) {
		l.RenewableFrom = l.renewableFrom(p, now)
	}
	return l
}

// mayRenew returns nil if an open loan may be renewed.
func (l Loan) mayRenew(p Policy, now time.Time) error {
	allowed := l.terms(p, now).Renewals
	switch {
	case l.BorrowerBlocked:
		return ErrBlocked
	case l.IsClaimed():
		return ErrClaimed
	case l.Renewals >= allowed.Value:
		return renewalLimit(l.at(now), p, allowed)
	case l.Awaited > 0:
		return awaited(l.at(now), p)
	case p.BlockOverdue && l.BorrowerOverdue:
		return ErrHasOverdue
	case l.renewed(p, now).Value.Equal(l.Due):
		return tooEarly(l, p, now)
	}
	return nil
}

// terms returns the policy for the loan as of now.
func (l Loan) terms(p Policy, now time.Time) Terms { return p.Terms(l.Category, l.Kind, p.Day(now)) }

// renewed returns the due date after a renewal: counted from today, and never earlier than the old
// one. A loan without a due date gets one as soon as the policy has one.
func (l Loan) renewed(p Policy, now time.Time) Ruled[time.Time] {
	due := p.DueDate(l.terms(p, now), now)
	if !due.Value.IsZero() && !due.Value.After(l.Due) {
		due.Value = l.Due
	}
	return due
}

// renewableFrom returns the beginning of the first day when a renewal moves the due date; zero if no
// day does, because the loan or the policy has no date, or a rule has a last day. It is not always the day
// after the loan: loans of several days can end on the same open day.
func (l Loan) renewableFrom(p Policy, now time.Time) time.Time {
	t := l.terms(p, now)
	if l.Due.IsZero() || t.LoanDays.Value == 0 {
		return time.Time{}
	}
	next := p.Day(l.Due.Add(time.Second)) // the first day with a later end
	for i := 0; i < p.longestClosure() && p.closed(next.AddDays(-1)); i++ {
		next = next.AddDays(-1)
	}
	from := next.AddDays(-t.LoanDays.Value)
	if t.Until.Value != (Date{}) && !p.DueDay(t, from).Value.End(p.Zone()).After(l.Due) {
		return time.Time{}
	}
	return p.DayBegins(from)
}

// Weight estimates the bytes of the loan in memory.
func (l Loan) Weight() int { return 512 + l.Book.Weight() }

// Cursor returns the place of the loan in a list.
func (l Loan) Cursor(filter LoanFilter) Cursor {
	at := Cursor{Order: filter.Order(), Created: l.Due, ID: l.ID}
	switch filter {
	case ReturnedLoans:
		at.Created = l.Returned
	case ClaimedLoans:
		at.Created = l.Claimed
	}
	return at
}

// Order returns the order of a list of loans.
func (f LoanFilter) Order() Order {
	switch f {
	case ReturnedLoans:
		return loansByReturn
	case ClaimedLoans:
		return loansByClaim
	}
	return loansByDue
}
