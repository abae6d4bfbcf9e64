// Package statistics counts the use of the library: its stock, loans and returns over time, the most borrowed books and
// the books never borrowed. It is a read-only part of the domain. Start reading at [Service.Report].
package statistics

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/internal/calendar"
	"example.org/library/internal/validation"
)

// Interval is the length of a period of the statistics.
type Interval string

const (
	ByDay   Interval = "day"
	ByWeek  Interval = "week" // beginning on Monday
	ByMonth Interval = "month"
)

// Intervals lists the intervals.
var Intervals = []Interval{ByDay, ByWeek, ByMonth}

// MaxPeriods is the limit of periods in a report.
const MaxPeriods = 400

// Query selects the time of a report: from the first day to the last, both included. Nil days stand
// for the last twelve months.
type Query struct {
	By       Interval // "" for ByMonth
	From, To *library.Date
}

// Report has the statistics, without data of any person.
type Report struct {
	Books, Copies            int // lendable copies
	OpenLoans, OverdueLoans  int
	WaitingHolds, ReadyHolds int
	Periods                  []Period
	MostBorrowed             []BorrowedBook
	NeverBorrowed            []library.BookRef // some, the oldest first
	NeverBorrowedCount       int
}

// Period has the counts of one interval.
type Period struct {
	From           library.Date
	Loans, Returns int
}

// BorrowedBook is a book and its number of loans in the time.
type BorrowedBook struct {
	Book  library.BookRef
	Loans int
}

// Store counts records.
type Store interface {
	// Policy is the same as in [library.PolicyStore].
	Policy(ctx context.Context) (library.Policy, error)
	// Statistics counts as of now. Bounds are the beginnings of the periods and the end of the last. Periods of the
	// answer have no From. The most borrowed books are up to most books with the most loans begun between the first and
	// the last of the bounds, then by identifier; never borrowed are books without any loan, open or returned, ever.
	Statistics(ctx context.Context, now time.Time, bounds []time.Time, most int) (Report, error)
}

// Service counts for staff.
type Service struct {
	store Store
	now   func() time.Time
}

// New returns the statistics of a store.
func New(store Store, now func() time.Time) *Service { return &Service{store, now} }

// listedBooks limits the books in a report.
const listedBooks = 20

// Report returns the statistics to staff.
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
	// Counting everything takes long in a large library.
	st, err := s.store.Statistics(library.WithStoreTimeout(ctx, 15*time.Second), now, bounds, listedBooks)
	for i := range st.Periods {
		st.Periods[i].From = days[i]
	}
	return st, err
}

// setDefaults fills in absent fields of the query.
func (q *Query) setDefaults(today library.Date) {
	if q.By == "" {
		q.By = ByMonth
	}
	if q.To == nil {
		q.To = &today
		if q.From != nil && today.Compare(*q.From) < 0 {
			q.To = q.From // a time in the future is empty
		}
	}
	if q.From == nil {
		q.From = new(q.To.AddMonths(-11))
	}
}

// periods returns the first days of the periods.
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

// first returns the first day of the period of a day.
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

// next returns the first day of the next period.
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
