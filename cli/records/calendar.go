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

// Calendar says when something is due as a person says it. A due date is the end of a day in the
// library's time zone, so the days are counted there, wherever the person is.
type Calendar struct {
	c    *client.Client
	now  func() time.Time
	zone *time.Location // nil until it is asked for
}

// NewCalendar returns the calendar of the client's library.
func NewCalendar(c *client.Client) *Calendar { return &Calendar{c: c, now: time.Now} }

// in returns the library's time zone, or UTC if the zone cannot be had: a day off
// by one is better than none.
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

// Due says when something is due: "in 3 days", "today", "2 days overdue".
func (k *Calendar) Due(ctx context.Context, instant string) string {
	return k.say(ctx, instant, sayDue)
}

// IsDue is like Due, for the end of a sentence: "due in 3 days", "2 days overdue".
func (k *Calendar) IsDue(ctx context.Context, instant string) string {
	words := k.Due(ctx, instant)
	if at, err := time.Parse(time.RFC3339, instant); err == nil && k.now().After(at) {
		return words
	}
	return "due " + words
}

// Day returns the day of an instant: "Friday, 12 December".
func (k *Calendar) Day(ctx context.Context, instant string) string {
	return k.say(ctx, instant, SayDay)
}

// ShortDay returns the day of an instant in a few letters: "12 Dec", with the year if it is another one.
func (k *Calendar) ShortDay(ctx context.Context, instant string) string {
	return k.say(ctx, instant, func(now, at time.Time) string {
		if at = at.In(now.Location()); at.Year() != now.Year() {
			return at.Format("2 Jan 2006")
		}
		return at.Format("2 Jan")
	})
}

// Time returns the time of day of an instant, with the day if it is another one: "14:05",
// "14:05 on Friday, 12 December".
func (k *Calendar) Time(ctx context.Context, instant string) string {
	return k.say(ctx, instant, sayTime)
}

// Date returns the day of an instant, for programs: "2026-12-12".
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

// DueAndDay returns both: "in 3 days (Friday, 12 December)".
func (k *Calendar) DueAndDay(ctx context.Context, instant string) string {
	if instant == "" {
		return ""
	}
	return fmt.Sprintf("%s (%s)", k.Due(ctx, instant), k.Day(ctx, instant))
}

// The most days counted one by one, and the most counted in weeks.
const (
	fewDays = 30
	aYear   = 365
)

// sayDue says how far off the due date of something is, in the time zone of now.
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

// SayDay returns a day as people call it, with the year if it is another one.
func SayDay(now, at time.Time) string {
	at = at.In(now.Location())
	if at.Year() != now.Year() {
		return at.Format("Monday, 2 January 2006")
	}
	return at.Format("Monday, 2 January")
}

// sayTime returns the time of day in the time zone of now, with the day if it is another one.
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

// SetAside says for whom a copy is set aside: "Set aside for Bruce Wayne until
// Friday, 12 December".
func SetAside(ctx context.Context, k *Calendar, h api.Hold) string {
	text := "Set aside"
	if name := NameOf(h.User); name != "" {
		text += " for " + name
	}
	if h.Until != "" {
		text += " until " + k.Day(ctx, h.Until)
	}
	return text
}

// HoldState says how far a hold has come.
func (k *Calendar) HoldState(ctx context.Context, state string, position int, until string) string {
	switch {
	case state == api.HoldWaiting && position == 1:
		return "next in the queue"
	case state == api.HoldWaiting && position > 1:
		return fmt.Sprintf("number %s in the queue", command.Thousands(position))
	case state == api.HoldReady && until != "":
		return "ready until " + k.Day(ctx, until)
	}
	return state
}
