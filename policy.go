package library

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"example.org/library/internal/calendar"
	"example.org/library/internal/validation"
)

// Date is a day of the calendar, without a time zone.
type Date = calendar.Date

// Policy is the library's rules of lending. A change concerns later loans, renewals and holds only.
type Policy struct {
	LoanDays       int  // length of a loan; 0: no due date
	Renewals       int  // renewals of a loan
	MaxLoans       int  // for one person; 0: any number
	MaxHolds       int  // active holds of one person; 0: any number
	BlockOverdue   bool // no loans and renewals for people with an overdue loan
	HoldDays       int  // days to keep a copy set aside
	HistoryDays    *int // days until an ended loan forgets its person; nil: never
	TimeZone       string
	ClosedWeekdays []time.Weekday // from Monday on
	ClosedDates    []Date
	DueSoonDays    int               // days between the first reminder and the due date; 0: no reminder
	OverdueDays    []int             // days after the due date, with a reminder each
	DeskLends      bool              // readers borrow at the desk only
	DeskTakesBack  bool              // readers give back at the desk only
	NoticeWanted   bool              // tell a borrower for whose copy somebody waits
	NoticeTime     string            // time of day for reminders, HH:MM; "" for the default
	MailNote       map[string]string // footer of every mail, by language
	Locale         string            // of people without one; "" for the default
	Rules          []PolicyRule      // exceptions for some people and books; see Terms
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

// DefaultPolicy returns the policy of a new library.
func DefaultPolicy() Policy {
	historyDays := 365
	return Policy{
		LoanDays: 28, Renewals: 2, HoldDays: 7, HistoryDays: &historyDays, TimeZone: "UTC",
		ClosedWeekdays: []time.Weekday{}, ClosedDates: []Date{},
		DueSoonDays: 3, OverdueDays: []int{1, 7, 21}, NoticeTime: "08:00", Locale: Locales[0],
		Rules: []PolicyRule{},
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
	wrong.locale("locale", p.Locale)
	p.Rules = wrong.rules(p.Rules)
	return wrong.err()
}

// Check returns all faults of the policy.
func (p Policy) Check() []Detail { return details(p.Normalize()) }

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

// indexed returns the name of one entry of a list.
func indexed(field string, i int) string { return field + "[" + strconv.Itoa(i) + "]" }

// sorted returns a sorted copy of the list, each entry once. It is never nil, so equal policies
// compare equal.
func sorted[T comparable](list []T, compare func(a, b T) int) []T {
	list = append([]T{}, list...)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// Zone returns the library's time zone. An unknown name, saved by a later program, counts as UTC: a
// due date some hours off is better than no lending.
func (p Policy) Zone() *time.Location {
	if zone, known := calendar.TimeZone(p.TimeZone); known {
		return zone
	}
	return time.UTC
}

// Day returns the date in the library at an instant.
func (p Policy) Day(t time.Time) Date { return calendar.DateOf(t.In(p.Zone())) }

// DayBegins returns the beginning of a day in the library.
func (p Policy) DayBegins(d Date) time.Time { return d.Begin(p.Zone()) }

// SayDay formats the day of an instant for a message: Friday, 12 December.
func (p Policy) SayDay(t time.Time) string { return t.In(p.Zone()).Format("Monday, 2 January") }

// HoldUntil returns the last moment to fetch a copy set aside now.
func (p Policy) HoldUntil(now time.Time) time.Time { return p.endOfDay(now, p.HoldDays) }

// endOfDay returns the end of the day some days after today, or of the next open day.
func (p Policy) endOfDay(now time.Time, days int) time.Time {
	return p.openDay(p.Day(now).AddDays(days)).End(p.Zone())
}

// openDay returns the first open day from d on. Normalize refuses a policy without open days; should
// the store have one, openDay returns d.
func (p Policy) openDay(d Date) Date {
	for i := range p.longestClosure() {
		if day := d.AddDays(i); !p.closed(day) {
			return day
		}
	}
	return d
}

// longestClosure returns one more than the days that can be closed in a row: one day of each week is
// open, and a closed date closes at most one of these.
func (p Policy) longestClosure() int { return 7 * (len(p.ClosedDates) + 1) }

func (p Policy) closed(d Date) bool {
	return slices.Contains(p.ClosedWeekdays, d.Weekday()) || slices.Contains(p.ClosedDates, d)
}

// HistoryEnd returns the instant HistoryDays ago. Loans returned before it forget their person now.
// Without HistoryDays nothing is forgotten.
func (p Policy) HistoryEnd(now time.Time) (before time.Time, forgets bool) {
	if p.HistoryDays == nil {
		return time.Time{}, false
	}
	const shortest = time.Microsecond // the precision of stores: a loan of exactly this age is forgotten, too
	return now.In(p.Zone()).AddDate(0, 0, -*p.HistoryDays).UTC().Add(shortest), true
}

// PolicyStore reads the policy. A new store has the default.
type PolicyStore interface {
	Policy(ctx context.Context) (Policy, error)
}

// PolicyTx reads and writes the policy inside a transaction.
type PolicyTx interface {
	Policy(ctx context.Context) (Policy, error) // locked
	PolicyNow(ctx context.Context) (Policy, error)
	SavePolicy(ctx context.Context, p Policy) error
	// Ends returns the distinct due dates of all loans, and the distinct ends of holds: at most one
	// for each day.
	Ends(ctx context.Context) ([]time.Time, error)
	// MoveEnds replaces these instants in all loans and holds at once. Nobody lends or reserves
	// meanwhile: see PolicyLock.
	MoveEnds(ctx context.Context, moves []EndMove) error
}

// EndMove replaces one instant by another.
type EndMove struct{ From, To time.Time }

// MoveEnds returns the moves of instants to the end of the same day in another policy's time zone. It
// leaves out instants without a move.
func (p Policy) MoveEnds(other Policy, ends []time.Time) []EndMove {
	var moves []EndMove
	from, to := p.Zone(), other.Zone()
	for _, at := range ends {
		if end := calendar.DateOf(at.In(from)).End(to); !end.Equal(at) {
			moves = append(moves, EndMove{at, end})
		}
	}
	return moves
}
