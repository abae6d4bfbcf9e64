package library

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func onDay(year int, month time.Month, day int) Date { return Date{Year: year, Month: month, Day: day} }

// holidays are n days from the given one on.
func holidays(from Date, n int) (dates []Date) {
	for i := range n {
		dates = append(dates, from.AddDays(i))
	}
	return dates
}

func TestDueDate(t *testing.T) {
	t.Parallel()
	const sat, sun, mon = time.Saturday, time.Sunday, time.Monday
	for _, c := range []struct {
		rule, zone, now string
		days            int
		weekdays        []time.Weekday
		dates           []Date
		want            string
	}{
		{"it is the end of a day", "UTC", "2026-11-15T12:34:56Z", 28, nil, nil, "2026-12-13T23:59:59Z"},
		{"the first second of a day belongs to it", "UTC", "2026-11-15T00:00:00Z", 1, nil, nil, "2026-11-16T23:59:59Z"},
		{"so does the last", "UTC", "2026-11-15T23:59:59Z", 1, nil, nil, "2026-11-16T23:59:59Z"},
		{"the day is that of the library", "Europe/Berlin", "2026-11-15T22:59:59Z", 1, nil, nil, "2026-11-16T22:59:59Z"},
		{"where it is tomorrow already", "Europe/Berlin", "2026-11-15T23:00:00Z", 1, nil, nil, "2026-11-17T22:59:59Z"},
		{"or still yesterday", "America/Los_Angeles", "2026-11-15T07:59:59Z", 1, nil, nil, "2026-11-16T07:59:59Z"},
		{"on one side of the date line", "Pacific/Kiritimati", "2026-11-15T12:00:00Z", 1, nil, nil, "2026-11-17T09:59:59Z"},
		{"and on the other", "Pacific/Pago_Pago", "2026-11-15T12:00:00Z", 1, nil, nil, "2026-11-17T10:59:59Z"},
		{"half an hour", "Asia/Kolkata", "2026-11-15T12:00:00Z", 7, nil, nil, "2026-11-22T18:29:59Z"},
		{"three quarters of an hour", "Asia/Kathmandu", "2026-11-15T12:00:00Z", 7, nil, nil, "2026-11-22T18:14:59Z"},
		{"summer time begins in between", "Europe/Berlin", "2026-03-20T12:00:00Z", 14, nil, nil, "2026-04-03T21:59:59Z"},
		{"summer time begins on that day", "Europe/Berlin", "2026-03-22T12:00:00Z", 7, nil, nil, "2026-03-29T21:59:59Z"},
		{"summer time ends in between", "Europe/Berlin", "2026-10-20T12:00:00Z", 14, nil, nil, "2026-11-03T22:59:59Z"},
		{"summer time ends on that day", "Europe/Berlin", "2026-10-18T12:00:00Z", 7, nil, nil, "2026-10-25T22:59:59Z"},
		{"half an hour of summer time", "Australia/Lord_Howe", "2026-09-28T12:00:00Z", 6, nil, nil, "2026-10-04T12:59:59Z"},
		{"the night after has no midnight", "America/Sao_Paulo", "2018-10-27T12:00:00Z", 7, nil, nil, "2018-11-04T02:59:59Z"},
		{"the same in Cairo", "Africa/Cairo", "2026-04-16T12:00:00Z", 7, nil, nil, "2026-04-23T21:59:59Z"},
		{"its last hour comes twice", "America/Sao_Paulo", "2018-02-10T12:00:00Z", 7, nil, nil, "2018-02-18T02:59:59Z"},
		{"borrowed in the hour that comes twice, first", "America/Sao_Paulo", "2018-02-18T01:30:00Z", 1, nil, nil, "2018-02-19T02:59:59Z"},
		{"and second", "America/Sao_Paulo", "2018-02-18T02:30:00Z", 1, nil, nil, "2018-02-19T02:59:59Z"},
		{"the year ends", "Europe/Berlin", "2026-12-20T12:00:00Z", 28, nil, nil, "2027-01-17T22:59:59Z"},
		{"on the last day of the year", "UTC", "2026-12-31T23:59:59Z", 365, nil, nil, "2027-12-31T23:59:59Z"},
		{"a year with a leap day", "UTC", "2027-12-31T12:00:00Z", 365, nil, nil, "2028-12-30T23:59:59Z"},
		{"on a leap day", "UTC", "2028-02-01T12:00:00Z", 28, nil, nil, "2028-02-29T23:59:59Z"},
		{"in a year without one", "UTC", "2027-02-01T12:00:00Z", 28, nil, nil, "2027-03-01T23:59:59Z"},
		{"the longest loan", "UTC", "2026-11-15T12:00:00Z", 3650, nil, nil, "2036-11-12T23:59:59Z"},
		{"an open day stays", "UTC", "2026-11-13T12:00:00Z", 7, []time.Weekday{sat, sun}, nil, "2026-11-20T23:59:59Z"},
		{"a closed weekday", "UTC", "2026-11-15T12:00:00Z", 7, []time.Weekday{sun}, nil, "2026-11-23T23:59:59Z"},
		{"several in a row", "UTC", "2026-11-14T12:00:00Z", 7, []time.Weekday{sat, sun, mon}, nil, "2026-11-24T23:59:59Z"},
		{"all but one", "UTC", "2026-11-15T12:00:00Z", 1, []time.Weekday{1, 2, 3, 4, 5, 6}, nil, "2026-11-22T23:59:59Z"},
		{"a closed date", "UTC", "2026-12-17T12:00:00Z", 7, nil, []Date{onDay(2026, 12, 24)}, "2026-12-25T23:59:59Z"},
		{"a date of another year is another one", "UTC", "2026-12-17T12:00:00Z", 7, nil, []Date{onDay(2025, 12, 24)}, "2026-12-24T23:59:59Z"},
		{"dates and weekdays in turn", "UTC", "2026-12-17T12:00:00Z", 7, []time.Weekday{sat, sun}, holidays(onDay(2026, 12, 24), 2), "2026-12-28T23:59:59Z"},
		{"holidays of two weeks, and a weekend", "Europe/Berlin", "2026-11-26T12:00:00Z", 28, []time.Weekday{sat, sun},
			holidays(onDay(2026, 12, 21), 14), "2027-01-04T22:59:59Z"},
		{"closed until summer time has begun", "Europe/Berlin", "2026-03-21T12:00:00Z", 7, []time.Weekday{sun}, []Date{onDay(2026, 3, 28)}, "2026-03-30T21:59:59Z"},
		{"the closed day is that of the library", "Pacific/Kiritimati", "2026-11-13T12:00:00Z", 7, []time.Weekday{sun}, nil, "2026-11-21T09:59:59Z"},
	} {
		p := Policy{LoanDays: c.days, HoldDays: c.days, TimeZone: c.zone, ClosedWeekdays: c.weekdays, ClosedDates: c.dates}
		now, want := testkit.Instant(t, c.now), testkit.Instant(t, c.want)
		if got := p.plainDue(now); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", c.rule, got.UTC().Format(time.RFC3339), c.want)
		}
		if got := p.HoldUntil(now); !got.Equal(want) {
			t.Errorf("%s: a hold until %s, want %s", c.rule, got.UTC().Format(time.RFC3339), c.want)
		}
	}
}

func TestLoansWithoutADueDate(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	p.LoanDays = 0
	if got := p.plainDue(time.Now()); !got.IsZero() {
		t.Errorf("a loan without an end is due at %s", got)
	}
}

func TestNextOpenDayIsNeverFurtherThanTheClosedOnesReach(t *testing.T) {
	t.Parallel()
	// Open on Sundays only, and closed on the next 400 of them: a loan ends on
	// the Sunday after.
	p := DefaultPolicy()
	p.LoanDays, p.ClosedWeekdays = 1, []time.Weekday{1, 2, 3, 4, 5, 6}
	sunday := onDay(2026, 11, 15)
	for i := range MaxClosedDates {
		p.ClosedDates = append(p.ClosedDates, sunday.AddDays(7*(i+1)))
	}
	if wrong := p.Check(); wrong != nil {
		t.Fatal(wrong)
	}
	now := testkit.Instant(t, "2026-11-15T12:00:00Z")
	want := sunday.AddDays(7 * (MaxClosedDates + 1)).End(time.UTC)
	if got := p.plainDue(now); !got.Equal(want) {
		t.Errorf("due at %s, want %s", got, want)
	}
	// Such a policy is refused. If it is in a database all the same, there are no closed days.
	p.ClosedWeekdays = append(p.ClosedWeekdays, time.Sunday)
	if got := p.plainDue(now); !got.Equal(testkit.Instant(t, "2026-11-16T23:59:59Z")) {
		t.Errorf("never open, and due at %s", got)
	}
}

// slowEnd counts days one by one and then looks minute by minute where the
// day ends; it knows nothing of how Policy does so.
func slowEnd(p Policy, now time.Time, days int) time.Time {
	zone, _ := time.LoadLocation(p.TimeZone)
	noon := func(t time.Time, days int) time.Time {
		year, month, day := t.Date()
		return time.Date(year, month, day+days, 12, 0, 0, 0, zone)
	}
	today := noon(now.In(zone), 0)
	for range days {
		today = noon(today, 1)
	}
	closed := func(t time.Time) bool {
		year, month, day := t.Date()
		return slices.Contains(p.ClosedWeekdays, t.Weekday()) || slices.Contains(p.ClosedDates, onDay(year, month, day))
	}
	for closed(today) {
		today = noon(today, 1)
	}
	last := today
	for at := today; at.Before(today.Add(16 * time.Hour)); at = at.Add(time.Minute) {
		if at.YearDay() == today.YearDay() {
			last = at.Add(59 * time.Second)
		}
	}
	return last
}

func TestDueDateIsThatOfACalendarOnTheWall(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2026, 11))
	for range 400 {
		p := Policy{
			LoanDays: 1 + random.IntN(60), TimeZone: testkit.TimeZones[random.IntN(len(testkit.TimeZones))],
			ClosedWeekdays: []time.Weekday{}, ClosedDates: []Date{},
		}
		for _, day := range random.Perm(7)[:random.IntN(7)] {
			p.ClosedWeekdays = append(p.ClosedWeekdays, time.Weekday(day))
		}
		now := time.Unix(random.Int64N(4_000_000_000), 0)
		if p.TimeZone == "Pacific/Apia" || p.TimeZone == "Pacific/Kwajalein" {
			now = now.AddDate(50, 0, 0) // the slow way does not know days that are left out
		}
		for range random.IntN(20) {
			p.ClosedDates = append(p.ClosedDates, p.Day(now).AddDays(random.IntN(90)))
		}
		if got, want := p.plainDue(now), slowEnd(p, now, p.LoanDays); !got.Equal(want) {
			t.Errorf("%s, %+v: due at %s, want %s", now.UTC(), p, got.In(want.Location()), want)
		}
	}
}

// When the time zone of the library changes, what is due on a day stays due on that
// day, at its end in the new zone.
func TestANewTimeZoneKeepsTheDay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, from, to, at, want string }{
		{"to the east", "UTC", "Europe/Berlin", "2026-12-14T23:59:59Z", "2026-12-14T22:59:59Z"},
		{"in summer", "UTC", "Europe/Berlin", "2026-07-14T23:59:59Z", "2026-07-14T21:59:59Z"},
		{"to the west", "Europe/Berlin", "America/New_York", "2026-12-14T22:59:59Z", "2026-12-15T04:59:59Z"},
		{"across the date line", "Pacific/Kiritimati", "Pacific/Pago_Pago", "2026-12-14T09:59:59Z", "2026-12-15T10:59:59Z"},
		{"a whole day apart", "Pacific/Apia", "Pacific/Pago_Pago", "2026-12-14T10:59:59Z", "2026-12-15T10:59:59Z"},
		{"the day on which summer time begins", "UTC", "Europe/Berlin", "2026-03-29T23:59:59Z", "2026-03-29T21:59:59Z"},
		{"the day before it", "UTC", "Europe/Berlin", "2026-03-28T23:59:59Z", "2026-03-28T22:59:59Z"},
		{"the day on which it ends", "Europe/Berlin", "UTC", "2026-10-25T22:59:59Z", "2026-10-25T23:59:59Z"},
		{"the night after has no midnight", "UTC", "America/Sao_Paulo", "2018-11-03T23:59:59Z", "2018-11-04T02:59:59Z"},
		{"a day that the new zone does not have ends with the one before", "UTC", "Pacific/Apia", "2011-12-30T23:59:59Z", "2011-12-30T09:59:59Z"},
		{"which has the same end", "UTC", "Pacific/Apia", "2011-12-29T23:59:59Z", "2011-12-30T09:59:59Z"},
		{"and the next has its own", "UTC", "Pacific/Apia", "2011-12-31T23:59:59Z", "2011-12-31T09:59:59Z"},
		{"the last day before one that is missing", "Pacific/Apia", "UTC", "2011-12-30T09:59:59Z", "2011-12-29T23:59:59Z"},
		{"Kwajalein went without a day, too", "UTC", "Pacific/Kwajalein", "1993-08-21T23:59:59Z", "1993-08-21T11:59:59Z"},
		{"what is no end of a day becomes one", "UTC", "Europe/Berlin", "2026-12-14T09:30:00Z", "2026-12-14T22:59:59Z"},
		{"of the day that it is in the old zone", "America/New_York", "UTC", "2026-12-15T03:00:00Z", "2026-12-14T23:59:59Z"},
		{"another name of a zone moves nothing", "Europe/Berlin", "Europe/Stockholm", "2026-12-14T22:59:59Z", ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			from, to := Policy{TimeZone: c.from}, Policy{TimeZone: c.to}
			got := ""
			for _, m := range from.MoveEnds(to, []time.Time{testkit.Instant(t, c.at)}) {
				got = m.To.UTC().Format(time.RFC3339)
			}
			if got != c.want {
				t.Errorf("%s in %s, then %s: %q, want %q", c.at, c.from, c.to, got, c.want)
			}
		})
	}
}
