package records

import (
	"context"
	"fmt"
	"time"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Calendar says when something is due as a person says it. A due date is the end
// of a day in the library's time zone, so the days are counted there, wherever
// the person is.
type Calendar struct {
	c    *client.Client
	now  func() time.Time
	zone *time.Location // nil until it is asked for
}

// NewCalendar is the calendar of the library that the client speaks to.
func NewCalendar(c *client.Client) *Calendar { return &Calendar{c: c, now: time.Now} }

// in is the library's time zone. Where it cannot be had, it is UTC: a day that
// is off by one is better than none.
func (k *Calendar) in(ctx context.Context) *time.Location {
	if k.zone == nil {
		k.zone = time.UTC
		if policy, _, err := k.c.Policy(ctx); err == nil {
			if zone, err := time.LoadLocation(policy.TimeZone); err == nil {
				k.zone = zone
			}
		}
	}
	return k.zone
}

// Due is when something is due: "in 3 days", "today", "2 days overdue".
func (k *Calendar) Due(ctx context.Context, instant string) string {
	return k.say(ctx, instant, sayDue)
}

// IsDue is due as the end of a sentence: "due in 3 days", "2 days overdue".
func (k *Calendar) IsDue(ctx context.Context, instant string) string {
	words := k.Due(ctx, instant)
	if at, err := time.Parse(time.RFC3339, instant); err == nil && k.now().After(at) {
		return words
	}
	return "due " + words
}

// Day is the day of an instant: "Friday, 12 December".
func (k *Calendar) Day(ctx context.Context, instant string) string {
	return k.say(ctx, instant, SayDay)
}

// Time is the time of day of an instant, with the day where that is another: "14:05",
// "14:05 on Friday, 12 December".
func (k *Calendar) Time(ctx context.Context, instant string) string {
	return k.say(ctx, instant, sayTime)
}

// Date is the day of an instant, for programs: "2026-12-12".
func (k *Calendar) Date(ctx context.Context, instant string) string {
	return k.say(ctx, instant, func(now, at time.Time) string { return at.In(now.Location()).Format(api.DateLayout) })
}

// say puts an instant into words, in the library's time zone.
func (k *Calendar) say(ctx context.Context, instant string, words func(now, at time.Time) string) string {
	at, err := time.Parse(time.RFC3339, instant)
	if err != nil {
		return terminal.Clean(instant)
	}
	return words(k.now().In(k.in(ctx)), at)
}

// DueAndDay is both: "in 3 days (Friday, 12 December)".
func (k *Calendar) DueAndDay(ctx context.Context, instant string) string {
	if instant == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s)", k.Due(ctx, instant), k.Day(ctx, instant))
}

// How far off a day is that is still counted in days, and in weeks.
const (
	fewDays = 30
	aYear   = 365
)

// sayDue says how far off the day is on which something is due, in the time zone
// of now.
func sayDue(now, due time.Time) string {
	days := daysBetween(now, due.In(now.Location()))
	switch {
	case now.After(due) && days == 0:
		return "overdue"
	case now.After(due):
		return command.Quantity(-days, "day") + " overdue"
	case days == 0:
		return "today"
	case days == 1:
		return "tomorrow"
	case days <= fewDays:
		return "in " + command.Quantity(days, "day")
	case days <= aYear:
		return "in " + command.Quantity(days/7, "week")
	}
	return "on " + due.In(now.Location()).Format("2 January 2006")
}

// SayDay is a day as people call it. The year is said where it is another one.
func SayDay(now, at time.Time) string {
	at = at.In(now.Location())
	if at.Year() != now.Year() {
		return at.Format("Monday, 2 January 2006")
	}
	return at.Format("Monday, 2 January")
}

// sayTime is the time of day in the time zone of now.
func sayTime(now, at time.Time) string {
	at = at.In(now.Location())
	if daysBetween(now, at) == 0 {
		return at.Format("15:04")
	}
	return at.Format("15:04") + " on " + SayDay(now, at)
}

// daysBetween counts the midnights between two instants of one time zone,
// however long the days are.
func daysBetween(from, to time.Time) int {
	day := func(t time.Time) time.Time {
		year, month, day := t.Date()
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return int(day(to).Sub(day(from)) / (24 * time.Hour))
}
