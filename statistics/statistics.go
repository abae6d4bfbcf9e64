// Package statistics says how the library is used: what there is, what was lent and
// returned in some time, which books are borrowed most and which never. It is a part of the
// domain that only counts. Start reading at [Service.Report].
package statistics

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/internal/validation"
)

// Interval is how long a period of the statistics is.
type Interval string

const (
	ByDay   Interval = "day"
	ByWeek  Interval = "week" // beginning on Monday
	ByMonth Interval = "month"
)

// Intervals is every interval.
var Intervals = []Interval{ByDay, ByWeek, ByMonth}

// MaxPeriods is how many periods statistics may have.
const MaxPeriods = 400

// Query says which time the statistics are about: from the first day
// to the last, both included. Nil days stand for the last twelve months.
type Query struct {
	By       Interval // "" for ByMonth
	From, To *library.Date
}

// Report says how the library is used, and nothing of any person.
type Report struct {
	Books, Copies            int // lendable copies
	OpenLoans, OverdueLoans  int
	WaitingHolds, ReadyHolds int
	Periods                  []Period
	MostBorrowed             []BorrowedBook
	NeverBorrowed            []library.BookRef // some, the oldest first
	NeverBorrowedCount       int
}

// Period is what happened in one interval.
type Period struct {
	From           library.Date
	Loans, Returns int
}

// BorrowedBook is how often a book was borrowed in the time.
type BorrowedBook struct {
	Book  library.BookRef
	Loans int
}

// Store is what a store counts.
type Store interface {
	// Policy is that of [library.PolicyStore].
	Policy(ctx context.Context) (library.Policy, error)
	// Statistics counts as of now. Bounds are the beginnings of the periods and
	// the end of the last. Periods of the answer have no From. The most borrowed
	// books are those with the most loans that began between the first and the
	// last of the bounds, then by identifier, no more than most; never borrowed
	// are books without any loan, open or returned, ever.
	Statistics(ctx context.Context, now time.Time, bounds []time.Time, most int) (Report, error)
}

// Service counts for staff.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns the statistics of a store.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// listedBooks is how many books the statistics name.
const listedBooks = 20

// Report shows staff how the library is used.
func (s *Service) Report(ctx context.Context, a library.Actor, q Query) (Report, error) {
	if err := a.Authorize(library.Oversee); err != nil {
		return Report{}, err
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return Report{}, err
	}
	now := s.now()
	q.setDefaults(p.Day(now))
	days, err := q.periods()
	if err != nil {
		return Report{}, err
	}
	bounds := make([]time.Time, len(days)+1)
	for i, d := range days {
		bounds[i] = p.DayBegins(d)
	}
	// The first and the last period may be cut off.
	bounds[0], bounds[len(days)] = p.DayBegins(*q.From), p.DayBegins(q.To.AddDays(1))
	// Everything is counted, which takes its time in a large library.
	st, err := s.store.Statistics(library.WithStoreTimeout(ctx, 15*time.Second), now, bounds, listedBooks)
	for i := range st.Periods {
		st.Periods[i].From = days[i]
	}
	return st, err
}

// setDefaults fills in what the query leaves out.
func (q *Query) setDefaults(today library.Date) {
	if q.By == "" {
		q.By = ByMonth
	}
	if q.To == nil {
		q.To = &today
		if q.From != nil && today.Compare(*q.From) < 0 {
			q.To = q.From // a time that has not come yet is empty
		}
	}
	if q.From == nil {
		q.From = new(q.To.AddMonths(-11))
	}
}

// periods are the first days of the periods.
func (q Query) periods() ([]library.Date, error) {
	if q.To.Compare(*q.From) < 0 {
		return nil, library.InvalidFields(library.Detail{Field: "to", Code: validation.CodeBeforeFrom, Message: "is before the first day"})
	}
	var days []library.Date
	for d := q.By.first(*q.From); d.Compare(*q.To) <= 0; d = q.By.next(d) {
		if len(days) == MaxPeriods {
			return nil, library.InvalidFields(library.Detail{Field: "from", Code: validation.CodeTooMany, Limit: MaxPeriods, Message: "is so long ago that there would be more than 400 periods"})
		}
		days = append(days, d)
	}
	return days, nil
}

// first is the first day of the period that a day is in.
func (i Interval) first(d library.Date) library.Date {
	switch i {
	case ByDay:
		return d
	case ByWeek:
		return d.AddDays(-calendar.SinceMonday(d.Weekday()))
	default:
		return d.AddMonths(0)
	}
}

// next is the first day of the next period.
func (i Interval) next(d library.Date) library.Date {
	switch i {
	case ByDay:
		return d.AddDays(1)
	case ByWeek:
		return d.AddDays(7)
	default:
		return d.AddMonths(1)
	}
}
