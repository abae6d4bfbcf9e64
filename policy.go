package library

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"example.org/library/internal/calendar"
	"example.org/library/internal/validation"
)

// Date is a day of the calendar, wherever it is.
type Date = calendar.Date

// Policy is the library's rules of lending. What changes in it concerns later
// loans, renewals and holds only.
type Policy struct {
	LoanDays       int  // how long a loan is; 0: it has no due date
	Renewals       int  // how often a loan can be renewed
	MaxLoans       int  // of a person at the same time; 0: any number
	MaxHolds       int  // the same, for active holds
	BlockOverdue   bool // who has something overdue cannot borrow or renew
	HoldDays       int  // how long a copy is set aside
	HistoryDays    *int // after which a past loan forgets its person; nil: it does not
	TimeZone       string
	ClosedWeekdays []time.Weekday // from Monday on
	ClosedDates    []Date
	DueSoonDays    int               // how long before the due date people are reminded; 0: they are not
	OverdueDays    []int             // how long after the due date they are reminded
	DeskLends      bool              // readers cannot borrow by themselves
	DeskTakesBack  bool              // readers cannot give back by themselves
	NoticeTime     string            // from when on people are reminded on a day, HH:MM; "" for the default
	MailNote       map[string]string // what stands at the end of every mail, by language
	Version        string
}

// Limits of the policy.
const (
	MaxLoanDays    = 3650
	MaxRenewals    = 99
	MaxOfPerson    = 999 // loans or holds
	MaxHoldDays    = 60
	MaxHistoryDays = 3650
	MaxClosedDates = 400
	MaxDueSoonDays = 30
	MaxOverdueDays = 365 // each
	MaxReminders   = 5   // about one loan that is overdue
	MaxMailNote    = 1000
	maxClosedWeek  = 6 // one day of the week is open
)

// DefaultPolicy is what holds in a library that has decided nothing.
func DefaultPolicy() Policy {
	historyDays := 365
	return Policy{
		LoanDays: 28, Renewals: 2, HoldDays: 7, HistoryDays: &historyDays, TimeZone: "UTC",
		ClosedWeekdays: []time.Weekday{}, ClosedDates: []Date{},
		DueSoonDays: 3, OverdueDays: []int{1, 7, 21}, NoticeTime: "08:00",
	}
}

// Normalize checks the policy and puts its lists in order, each entry once.
func (p *Policy) Normalize() error {
	var wrong problems
	wrong.Within("loanDays", p.LoanDays, 0, MaxLoanDays)
	wrong.Within("renewals", p.Renewals, 0, MaxRenewals)
	wrong.Within("maxLoans", p.MaxLoans, 0, MaxOfPerson)
	wrong.Within("maxHolds", p.MaxHolds, 0, MaxOfPerson)
	wrong.Within("holdDays", p.HoldDays, 1, MaxHoldDays)
	if p.HistoryDays != nil {
		wrong.Within("historyDays", *p.HistoryDays, 0, MaxHistoryDays)
	}
	p.TimeZone = wrong.timeZone("timeZone", p.TimeZone)
	p.ClosedWeekdays = wrong.closedWeekdays(p.ClosedWeekdays)
	p.ClosedDates = wrong.closedDates(p.ClosedDates)
	wrong.Within("dueSoonDays", p.DueSoonDays, 0, MaxDueSoonDays)
	p.OverdueDays = wrong.overdueDays(p.OverdueDays)
	p.NoticeTime = wrong.noticeTime(p.NoticeTime)
	p.MailNote = wrong.mailNote(p.MailNote)
	return wrong.err()
}

// Check says everything that is wrong with the policy.
func (p Policy) Check() []Detail { return details(p.Normalize()) }

// LimitsReaders reports whether it matters how many loans or holds a reader has.
func (p Policy) LimitsReaders() bool { return p.MaxLoans > 0 || p.MaxHolds > 0 }

func (p *problems) timeZone(field, name string) string {
	before := len(p.Problems)
	name = p.RequiredLine(field, name, calendar.MaxTimeZone)
	if len(p.Problems) > before {
		return name
	}
	if _, known := calendar.TimeZone(name); !known {
		p.Add(Detail{Field: field, Code: validation.CodeNotTimeZone, Message: "is not the name of a time zone, such as Europe/Berlin"})
	}
	return name
}

func (p *problems) closedWeekdays(days []time.Weekday) []time.Weekday {
	const field = "closedWeekdays"
	for i, day := range days {
		if day < time.Sunday || day > time.Saturday {
			p.Add(validation.UnknownValue(indexed(field, i), calendar.WeekdayNames))
		}
	}
	days = sorted(days, func(a, b time.Weekday) int { return calendar.SinceMonday(a) - calendar.SinceMonday(b) })
	if len(days) > maxClosedWeek {
		p.Add(Detail{Field: field, Code: validation.CodeTooMany, Message: "closes every day of the week; one must be open", Limit: maxClosedWeek})
	}
	return days
}

func (p *problems) closedDates(dates []Date) []Date {
	const field = "closedDates"
	if len(dates) > MaxClosedDates {
		p.Add(validation.TooMany(field, MaxClosedDates))
		return dates
	}
	for i, date := range dates {
		if !date.IsReal() {
			p.Add(validation.NotADate(indexed(field, i)))
		}
	}
	return sorted(dates, Date.Compare)
}

func (p *problems) overdueDays(days []int) []int {
	const field = "overdueDays"
	if len(days) > MaxReminders {
		p.Add(validation.TooMany(field, MaxReminders))
		return days
	}
	for i, n := range days {
		p.Within(indexed(field, i), n, 1, MaxOverdueDays)
	}
	return sorted(days, cmp.Compare)
}

// indexed names one entry of a list.
func indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// sorted is the list in order, each entry once. The list that was given stays
// as it is, and the answer is never nil, so that equal policies are equal.
func sorted[T comparable](list []T, compare func(a, b T) int) []T {
	list = append([]T{}, list...)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// zone is the library's time zone. A name that this program does not know,
// because a later one has saved it, counts as UTC: a due date that is some hours
// off is better than no lending.
func (p Policy) zone() *time.Location {
	if zone, known := calendar.TimeZone(p.TimeZone); known {
		return zone
	}
	return time.UTC
}

// Day is the date in the library at an instant.
func (p Policy) Day(t time.Time) Date { return calendar.DateOf(t.In(p.zone())) }

// DayBegins is the instant at which a day begins in the library.
func (p Policy) DayBegins(d Date) time.Time { return d.Begin(p.zone()) }

// SayDay is the day of an instant as a message says it: Friday, 12 December.
func (p Policy) SayDay(t time.Time) string { return t.In(p.zone()).Format("Monday, 2 January") }

// DueDate is when a loan or a renewal of now is due: at the end of a day. It is
// zero if loans have no due date.
func (p Policy) DueDate(now time.Time) time.Time {
	if p.LoanDays == 0 {
		return time.Time{}
	}
	return p.endOfDay(now, p.LoanDays)
}

// HoldUntil is until when a copy that comes free now is set aside.
func (p Policy) HoldUntil(now time.Time) time.Time { return p.endOfDay(now, p.HoldDays) }

// endOfDay is the end of the day that is some days after today, or of the next
// one on which the library is open.
func (p Policy) endOfDay(now time.Time, days int) time.Time {
	return p.openDay(p.Day(now).AddDays(days)).End(p.zone())
}

// openDay is the first day from d on that is not closed. A policy that closes
// everything is not accepted; should there be one, its closed days do not count.
func (p Policy) openDay(d Date) Date {
	for i := range p.longestClosure() {
		if day := d.AddDays(i); !p.closed(day) {
			return day
		}
	}
	return d
}

// longestClosure is how many days in a row can be closed, and one more: one day of
// each week is open, and a closed date closes no more than one of those.
func (p Policy) longestClosure() int { return 7 * (len(p.ClosedDates) + 1) }

func (p Policy) closed(d Date) bool {
	return slices.Contains(p.ClosedWeekdays, d.Weekday()) || slices.Contains(p.ClosedDates, d)
}

// HistoryEnd is the instant before which loans must have been returned so that
// they forget their person now: HistoryDays ago, that instant included.
// Without HistoryDays nothing is forgotten.
func (p Policy) HistoryEnd(now time.Time) (before time.Time, forgets bool) {
	if p.HistoryDays == nil {
		return time.Time{}, false
	}
	const shortest = time.Microsecond // the smallest difference that stores keep
	return now.In(p.zone()).AddDate(0, 0, -*p.HistoryDays).UTC().Add(shortest), true
}
