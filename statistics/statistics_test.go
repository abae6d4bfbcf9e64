package statistics

import (
	"errors"
	"testing"

	"example.org/library"
	"example.org/library/internal/calendar"
)

func TestThePeriodsOfStatistics(t *testing.T) {
	t.Parallel()
	date := func(text string) library.Date { d, _ := calendar.ParseDate(text); return d }
	today := date("2026-11-15") // a Sunday
	for _, c := range []struct {
		name        string
		by          Interval
		from, to    string // "" is not given
		first, last string // of the beginnings
		n           int
	}{
		{"the last twelve months", "", "", "", "2025-12-01", "2026-11-01", 12},
		{"twelve months up to a day", ByMonth, "", "2024-02-29", "2023-03-01", "2024-02-01", 12},
		{"months begin on their first day", ByMonth, "2026-01-31", "2026-03-01", "2026-01-01", "2026-03-01", 3},
		{"weeks begin on Monday", ByWeek, "2026-11-01", "2026-11-15", "2026-10-26", "2026-11-09", 3},
		{"a Monday begins its own week", ByWeek, "2026-11-09", "2026-11-09", "2026-11-09", "2026-11-09", 1},
		{"weeks go over the end of the year", ByWeek, "2026-12-31", "2027-01-04", "2026-12-28", "2027-01-04", 2},
		{"days, with a leap day", ByDay, "2024-02-28", "2024-03-01", "2024-02-28", "2024-03-01", 3},
		{"as many as there may be", ByDay, "2025-01-01", "2026-02-04", "2025-01-01", "2026-02-04", 400},
		{"a time that has not come yet", ByDay, "2030-01-01", "", "2030-01-01", "2030-01-01", 1},
	} {
		q := Query{By: c.by}
		if c.from != "" {
			q.From = new(date(c.from))
		}
		if c.to != "" {
			q.To = new(date(c.to))
		}
		q.setDefaults(today)
		days, err := q.periods()
		if err != nil || len(days) != c.n || days[0] != date(c.first) || days[len(days)-1] != date(c.last) {
			t.Errorf("%s: %v, %v; want %d from %s to %s", c.name, days, err, c.n, c.first, c.last)
		}
	}
	for _, q := range []struct{ from, to string }{{"2025-01-01", "2026-02-05"}, {"2026-02-02", "2026-02-01"}} {
		if _, err := (Query{By: ByDay, From: new(date(q.from)), To: new(date(q.to))}).periods(); !errors.Is(err, library.ErrInvalid) {
			t.Errorf("%s to %s: %v", q.from, q.to, err)
		}
	}
}
