package library

import (
	"context"
	"time"

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

// StatisticsQuery says which time the statistics are about: from the first day
// to the last, both included. Nil days stand for the last twelve months.
type StatisticsQuery struct {
	By       Interval // "" for ByMonth
	From, To *Date
}

// Statistics say how the library is used, and nothing of any person.
type Statistics struct {
	Books, Copies            int // lendable copies
	OpenLoans, OverdueLoans  int
	WaitingHolds, ReadyHolds int
	Periods                  []Period
	MostBorrowed             []BorrowedBook
	NeverBorrowed            []BookRef // some, the oldest first
	NeverBorrowedCount       int
}

// Period is what happened in one interval.
type Period struct {
	From           Date
	Loans, Returns int
}

// BorrowedBook is how often a book was borrowed in the time.
type BorrowedBook struct {
	Book  BookRef
	Loans int
}

// StatisticsStore is what a store counts.
type StatisticsStore interface {
	// Statistics counts as of now. Bounds are the beginnings of the periods and
	// the end of the last. Periods of the answer have no From. The most borrowed
	// books are those with the most loans that began between the first and the
	// last of the bounds, then by identifier, no more than most; never borrowed
	// are books without any loan, open or returned, ever.
	Statistics(ctx context.Context, now time.Time, bounds []time.Time, most int) (Statistics, error)
}

// listedBooks is how many books the statistics name.
const listedBooks = 20

// Statistics shows staff how the library is used.
func (s *Service) Statistics(ctx context.Context, a Actor, q StatisticsQuery) (Statistics, error) {
	if err := a.Authorize(Oversee); err != nil {
		return Statistics{}, err
	}
	p, err := s.store.Policy(ctx)
	if err != nil {
		return Statistics{}, err
	}
	now := s.now()
	q.setDefaults(p.Day(now))
	days, err := q.periods()
	if err != nil {
		return Statistics{}, err
	}
	bounds := make([]time.Time, len(days)+1)
	for i, d := range days {
		bounds[i] = p.DayBegins(d)
	}
	// The first and the last period may be cut off.
	bounds[0], bounds[len(days)] = p.DayBegins(*q.From), p.DayBegins(q.To.AddDays(1))
	// Everything is counted, which takes its time in a large library.
	st, err := s.store.Statistics(WithStoreTimeout(ctx, 15*time.Second), now, bounds, listedBooks)
	for i := range st.Periods {
		st.Periods[i].From = days[i]
	}
	return st, err
}

// setDefaults fills in what the query leaves out.
func (q *StatisticsQuery) setDefaults(today Date) {
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
func (q StatisticsQuery) periods() ([]Date, error) {
	if q.To.Compare(*q.From) < 0 {
		return nil, InvalidFields(Detail{Field: "to", Code: validation.CodeBeforeFrom, Message: "is before the first day"})
	}
	var days []Date
	for d := q.By.first(*q.From); d.Compare(*q.To) <= 0; d = q.By.next(d) {
		if len(days) == MaxPeriods {
			return nil, InvalidFields(Detail{Field: "from", Code: validation.CodeTooMany, Limit: MaxPeriods, Message: "is so long ago that there would be more than 400 periods"})
		}
		days = append(days, d)
	}
	return days, nil
}

// first is the first day of the period that a day is in.
func (i Interval) first(d Date) Date {
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
func (i Interval) next(d Date) Date {
	switch i {
	case ByDay:
		return d.AddDays(1)
	case ByWeek:
		return d.AddDays(7)
	default:
		return d.AddMonths(1)
	}
}
