// Package calendar computes with days: their order, their beginning in a time zone, and the names of
// weekdays and time zones. Start reading at [Date].
package calendar

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Date is a day of the calendar, without a time zone.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// ParseDate parses a date in the form of requests: 2026-12-24.
func ParseDate(s string) (Date, bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return Date{}, false
	}
	return DateOf(t), true
}

// DateOf returns the day of an instant in its time zone.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

func (d Date) String() string { return d.midnight().Format(time.DateOnly) }

// midnight returns the beginning of the day in UTC, for counting days without summer time.
func (d Date) midnight() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// Compare is negative when d is before other, and positive when it is after.
func (d Date) Compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// AddDays returns the date n days later.
func (d Date) AddDays(n int) Date { return DateOf(d.midnight().AddDate(0, 0, n)) }

// AddMonths returns the first day of the month n months later.
func (d Date) AddMonths(n int) Date {
	return DateOf(time.Date(d.Year, d.Month+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
}

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.midnight().Weekday() }

// IsReal reports whether the calendar has this date, and requests can name it.
func (d Date) IsReal() bool {
	parsed, ok := ParseDate(d.String())
	return ok && parsed == d
}

// MarshalText makes a date a string in JSON.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses the form of MarshalText.
func (d *Date) UnmarshalText(text []byte) error {
	parsed, ok := ParseDate(string(text))
	if !ok {
		return errors.New("not a date")
	}
	*d = parsed
	return nil
}

// Begin returns the beginning of the day in a time zone. That is not always midnight: where clocks are
// put forward at midnight the day begins at one o'clock; where they are put back to the day before,
// that day is not over until midnight comes for the second time.
//
// It goes back in time, from one change of the clocks to the one before, as long as it is this day or a later one.
func (d Date) Begin(zone *time.Location) time.Time {
	at := d.midnight().Add(36 * time.Hour).In(zone) // nowhere is it earlier than on this day
	for {
		_, offset := at.Zone()
		midnight := d.midnight().Add(-time.Duration(offset) * time.Second)
		changed, _ := at.ZoneBounds()
		if changed.IsZero() || midnight.After(changed) {
			return midnight
		}
		at = changed.Add(-time.Nanosecond).In(zone)
		if DateOf(at).Compare(d) < 0 {
			return changed.UTC()
		}
	}
}

// End returns the last second of the day in a time zone.
func (d Date) End(zone *time.Location) time.Time { return d.AddDays(1).Begin(zone).Add(-time.Second) }

// WeekdayNames are the names in requests and records, from Monday on.
var WeekdayNames = []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}

// ParseWeekday parses the name of a weekday in a request.
func ParseWeekday(name string) (time.Weekday, bool) {
	i := slices.Index(WeekdayNames, name)
	return time.Weekday((i + 1) % 7), i >= 0
}

// WeekdayName returns the name of a weekday in requests and records.
func WeekdayName(day time.Weekday) string { return WeekdayNames[SinceMonday(day)] }

// SinceMonday puts the days of the week in order.
func SinceMonday(day time.Weekday) int { return (int(day) + 6) % 7 }

// MaxTimeZone limits the name of a time zone, in characters.
const MaxTimeZone = 64

// lastZone is the last requested time zone. A library has one, and reading it from its file for every
// loan would take longer than the loan.
var lastZone atomic.Pointer[time.Location]

// TimeZone finds a time zone by its IANA name. Whatever else the machine keeps beside those, such as its own time zone
// or zones with leap seconds, is refused, so that a name means the same on every machine.
func TimeZone(name string) (*time.Location, bool) {
	if zone := lastZone.Load(); zone != nil && zone.String() == name {
		return zone, true
	}
	if !isZoneName(name) {
		return nil, false
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	lastZone.Store(zone)
	return zone, true
}

// isZoneName reports whether a name can be one of the IANA's: they begin with
// a capital letter, and "Local" and "Factory" stand for a zone yet to be chosen.
func isZoneName(name string) bool {
	if name == "" || len(name) > MaxTimeZone || name[0] < 'A' || name[0] > 'Z' || name == "Local" || name == "Factory" {
		return false
	}
	if strings.Contains(name, "//") || strings.HasSuffix(name, "/") {
		return false // another spelling of the same file
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && (r < '0' || r > '9') && !strings.ContainsRune("/_+-", r)
	})
}
