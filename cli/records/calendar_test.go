package records

import (
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func at(t *testing.T, zone, text string) time.Time {
	t.Helper()
	location, err := time.LoadLocation(zone)
	testkit.NoError(t, err)
	instant, err := time.ParseInLocation("2006-01-02 15:04:05", text, location)
	testkit.NoError(t, err)
	return instant
}

func TestDueDatesAreSaidAsAPersonSaysThem(t *testing.T) {
	t.Parallel()
	const noon = "2026-11-15 12:00:00"
	for _, c := range []struct{ rule, zone, now, due, want string }{
		{"the end of this day", "UTC", noon, "2026-11-15 23:59:59", "today"},
		{"the last second of it", "UTC", "2026-11-15 23:59:59", "2026-11-15 23:59:59", "today"},
		{"a second later", "UTC", "2026-11-16 00:00:00", "2026-11-15 23:59:59", "1 day overdue"},
		{"the next day", "UTC", noon, "2026-11-16 23:59:59", "tomorrow"},
		{"a minute before midnight tomorrow is tomorrow", "UTC", "2026-11-15 23:59:00", "2026-11-16 23:59:59", "tomorrow"},
		{"two days", "UTC", noon, "2026-11-17 23:59:59", "in 2 days"},
		{"three days", "UTC", noon, "2026-11-18 23:59:59", "in 3 days"},
		{"a usual loan", "UTC", noon, "2026-12-13 23:59:59", "in 28 days"},
		{"a month is still counted in days", "UTC", noon, "2026-12-15 23:59:59", "in 30 days"},
		{"then in weeks that are over by then", "UTC", noon, "2026-12-16 23:59:59", "in 4 weeks"},
		{"many weeks", "UTC", noon, "2027-05-09 23:59:59", "in 25 weeks"},
		{"what is further off than a year has a date", "UTC", noon, "2028-02-29 23:59:59", "on 29 February 2028"},
		{"two days late", "UTC", noon, "2026-11-13 23:59:59", "2 days overdue"},
		{"late is counted in days", "UTC", noon, "2026-09-30 23:59:59", "46 days overdue"},
		{"very late", "UTC", noon, "2020-11-15 23:59:59", "2,191 days overdue"},
		{"late within a day, after a change of the time zone", "UTC", noon, "2026-11-15 10:59:59", "overdue"},

		{"days of a zone before UTC", "America/New_York", "2026-11-15 22:00:00", "2026-11-15 23:59:59", "today"},
		{"days of a zone after UTC", "Pacific/Auckland", "2026-11-15 00:30:00", "2026-11-15 23:59:59", "today"},
		{"summer time begins in between", "Europe/Berlin", "2026-03-28 23:30:00", "2026-03-29 23:59:59", "tomorrow"},
		{"summer time ends in between", "Europe/Berlin", "2026-10-24 00:30:00", "2026-10-26 23:59:59", "in 2 days"},
		{"a leap day in between", "Europe/Berlin", "2028-02-28 08:00:00", "2028-03-01 23:59:59", "in 2 days"},
	} {
		testkit.Equal(t, sayDue(at(t, c.zone, c.now), at(t, c.zone, c.due).UTC()), c.want, c.rule)
	}
}

func TestTheSameInstantIsDueOnTheDayOfTheLibrary(t *testing.T) {
	t.Parallel()
	due := at(t, "America/New_York", "2026-11-15 23:59:59") // it is the 16th in Berlin
	now := at(t, "Europe/Berlin", "2026-11-15 20:00:00")
	testkit.Equal(t, sayDue(now.In(due.Location()), due), "today", "in the library")
	testkit.Equal(t, sayDue(now, due), "tomorrow", "in Berlin")
}

func TestADayIsSaidWithTheYearIfThatIsAnother(t *testing.T) {
	t.Parallel()
	now := at(t, "Europe/Berlin", "2026-11-15 12:00:00")
	for due, want := range map[string]string{
		"2026-12-11 23:59:59": "Friday, 11 December",
		"2027-01-01 23:59:59": "Friday, 1 January 2027",
		"2025-12-31 23:59:59": "Wednesday, 31 December 2025",
	} {
		testkit.Equal(t, SayDay(now, at(t, "Europe/Berlin", due).UTC()), want, due)
	}
}

func TestTheTimeOfDayIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	now := at(t, "Europe/Berlin", "2026-12-10 12:00:00")
	for instant, want := range map[string]string{
		"2026-12-10 14:05:59": "14:05",
		"2026-12-10 00:00:00": "00:00",
		"2026-12-11 00:00:00": "00:00 on Friday, 11 December",
		"2027-01-01 09:30:00": "09:30 on Friday, 1 January 2027",
	} {
		testkit.Equal(t, sayTime(now, at(t, "Europe/Berlin", instant).UTC()), want, instant)
	}
}
