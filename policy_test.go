package library

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
	"example.org/library/internal/validation"
)

func TestDefaultPolicy(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	if wrong := p.Check(); wrong != nil {
		t.Errorf("it is not accepted: %v", wrong)
	}
	normal := DefaultPolicy()
	if err := normal.Normalize(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(p, normal); diff != "" {
		t.Errorf("it is not in order (-default +normal)\n%s", diff)
	}
	days := 365
	want := Policy{
		LoanDays: 28, Renewals: 2, HoldDays: 7, HistoryDays: &days, TimeZone: "UTC",
		ClosedWeekdays: []time.Weekday{}, ClosedDates: []Date{}, DueSoonDays: 3, OverdueDays: []int{1, 7, 21},
		NoticeTime: "08:00", Locale: "en", Rules: []PolicyRule{},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	*p.HistoryDays, p.OverdueDays[0] = 1, 99
	if diff := cmp.Diff(want, DefaultPolicy()); diff != "" {
		t.Errorf("changing one changes the next\n%s", diff)
	}
}

func TestEachNumberOfAPolicyHasItsRange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field       string
		least, most int
		set         func(*Policy, int)
	}{
		{"loanDays", 0, 3650, func(p *Policy, n int) { p.LoanDays = n }},
		{"renewals", 0, 99, func(p *Policy, n int) { p.Renewals = n }},
		{"maxLoans", 0, 999, func(p *Policy, n int) { p.MaxLoans = n }},
		{"maxHolds", 0, 999, func(p *Policy, n int) { p.MaxHolds = n }},
		{"holdDays", 1, 60, func(p *Policy, n int) { p.HoldDays = n }},
		{"historyDays", 0, 3650, func(p *Policy, n int) { p.HistoryDays = &n }},
		{"dueSoonDays", 0, 30, func(p *Policy, n int) { p.DueSoonDays = n }},
		{"overdueDays[1]", 1, 365, func(p *Policy, n int) { p.OverdueDays = []int{3, n} }},
	} {
		for n, accepted := range map[int]bool{
			c.least: true, c.most: true, (c.least + c.most) / 2: true,
			c.least - 1: false, c.most + 1: false, -1 << 62: false, 1 << 62: false,
		} {
			p := DefaultPolicy()
			c.set(&p, n)
			var want []Detail
			if !accepted {
				want = []Detail{{Field: c.field, Code: validation.CodeOutOfRange, Limit: c.most, Least: c.least,
					Message: fmt.Sprintf("must be a number from %d to %d", c.least, c.most)}}
			}
			if diff := cmp.Diff(want, p.Check()); diff != "" {
				t.Errorf("%s %d (-want +got)\n%s", c.field, n, diff)
			}
		}
	}
}

func manyDates(n int) (dates []Date) {
	for i := range n {
		dates = append(dates, onDay(2026, 1, 1).AddDays(i))
	}
	return dates
}

func TestPolicyIsRefusedWithEverythingThatIsWrong(t *testing.T) {
	t.Parallel()
	week := []time.Weekday{0, 1, 2, 3, 4, 5, 6}
	for _, c := range []struct {
		rule string
		edit func(*Policy)
		want string // field, code and limit of each detail
	}{
		{"a time zone is needed", func(p *Policy) { p.TimeZone = " " }, "timeZone required"},
		{"it is one of the IANA's", func(p *Policy) { p.TimeZone = "Local" }, "timeZone not_a_time_zone"},
		{"it is in one line", func(p *Policy) { p.TimeZone = "UTC\nUTC" }, "timeZone control_character"},
		{"it is not endless", func(p *Policy) { p.TimeZone = strings.Repeat("U", 65) }, "timeZone too_long 64"},
		{"the library opens at least once a week", func(p *Policy) { p.ClosedWeekdays = week }, "closedWeekdays too_many 6"},
		{"on one day it may be", func(p *Policy) { p.ClosedWeekdays = week[1:] }, ""},
		{"saying a day twice is no other day", func(p *Policy) { p.ClosedWeekdays = append(week[1:], week[1:]...) }, ""},
		{"a week has seven days", func(p *Policy) { p.ClosedWeekdays = []time.Weekday{1, 7, -1} },
			"closedWeekdays[1] unknown_value, closedWeekdays[2] unknown_value"},
		{"closed dates are real ones", func(p *Policy) { p.ClosedDates = []Date{onDay(2026, 1, 1), onDay(2026, 2, 29), {}, onDay(12026, 1, 1)} },
			"closedDates[1] not_a_date, closedDates[2] not_a_date, closedDates[3] not_a_date"},
		{"400 of them are accepted", func(p *Policy) { p.ClosedDates = manyDates(400) }, ""},
		{"more are not", func(p *Policy) { p.ClosedDates = manyDates(401) }, "closedDates too_many 400"},
		{"not even if they are the same", func(p *Policy) { p.ClosedDates = slices.Repeat(manyDates(1), 401) }, "closedDates too_many 400"},
		{"nobody need be reminded", func(p *Policy) { p.OverdueDays, p.DueSoonDays = nil, 0 }, ""},
		{"people are reminded five times", func(p *Policy) { p.OverdueDays = []int{1, 2, 3, 4, 5} }, ""},
		{"and not more often", func(p *Policy) { p.OverdueDays = []int{1, 2, 3, 4, 5, 6} }, "overdueDays too_many 5"},
		{"history may be kept", func(p *Policy) { p.HistoryDays = nil }, ""},
		{"everything is said at once", func(p *Policy) { *p = Policy{LoanDays: -1, Renewals: 100, ClosedWeekdays: week, OverdueDays: []int{0}} },
			"loanDays out_of_range 3650, renewals out_of_range 99, holdDays out_of_range 60, timeZone required, closedWeekdays too_many 6, overdueDays[0] out_of_range 365"},
	} {
		p := DefaultPolicy()
		c.edit(&p)
		var got []string
		for _, d := range p.Check() {
			text := d.Field + " " + string(d.Code)
			if d.Limit != 0 {
				text += fmt.Sprintf(" %d", d.Limit)
			}
			got = append(got, text)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestListsOfAPolicyAreInOrderWithEachEntryOnce(t *testing.T) {
	t.Parallel()
	given := Policy{
		HoldDays: 7, TimeZone: " Europe/Berlin ",
		ClosedWeekdays: []time.Weekday{time.Sunday, time.Monday, time.Saturday, time.Sunday},
		ClosedDates:    []Date{onDay(2026, 12, 26), onDay(2026, 12, 25), onDay(2025, 12, 31), onDay(2026, 12, 26)},
		OverdueDays:    []int{21, 1, 7, 1},
	}
	p := given
	testkit.NoError(t, p.Normalize())
	want := Policy{
		HoldDays: 7, TimeZone: "Europe/Berlin",
		ClosedWeekdays: []time.Weekday{time.Monday, time.Saturday, time.Sunday},
		ClosedDates:    []Date{onDay(2025, 12, 31), onDay(2026, 12, 25), onDay(2026, 12, 26)},
		OverdueDays:    []int{1, 7, 21},
		Rules:          []PolicyRule{},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if given.OverdueDays[0] != 21 || given.ClosedWeekdays[0] != time.Sunday || given.ClosedDates[0].Day != 26 {
		t.Error("the lists that were given have changed")
	}
}

func FuzzPolicyNormalize(f *testing.F) {
	f.Add(28, 7, 365, "Europe/Berlin", []byte{0, 6}, []byte{1, 2, 3}, []byte{1, 7, 21}, int64(1795000000))
	f.Add(0, 1, -1, "Local", []byte{0, 1, 2, 3, 4, 5, 6}, []byte{}, []byte{0}, int64(0))
	f.Add(3650, 60, 0, "../UTC", []byte{7}, []byte{255, 255}, []byte{9, 9, 9, 9, 9, 9}, int64(-1))
	f.Fuzz(func(t *testing.T, loanDays, holdDays, historyDays int, zone string, weekdays, dates, overdue []byte, now int64) {
		p := Policy{LoanDays: loanDays, HoldDays: holdDays, HistoryDays: &historyDays, TimeZone: zone}
		for _, b := range weekdays {
			p.ClosedWeekdays = append(p.ClosedWeekdays, time.Weekday(int8(b)))
		}
		for _, b := range dates {
			p.ClosedDates = append(p.ClosedDates, onDay(2026, time.Month(b%14+1), int(b%32)))
		}
		for _, b := range overdue {
			p.OverdueDays = append(p.OverdueDays, int(int8(b)))
		}
		wrong := p.Check()
		if err := p.Normalize(); (err == nil) != (wrong == nil) {
			t.Fatalf("normalize says %v and Check %v", err, wrong)
		}
		if wrong != nil {
			return
		}
		again := p
		if err := again.Normalize(); err != nil || !cmp.Equal(p, again) {
			t.Errorf("it changes once more: %v, %v", err, cmp.Diff(p, again))
		}
		at := time.Unix(now%(1<<33), 0)
		due := p.plainDue(at)
		if loanDays == 0 != due.IsZero() || loanDays > 0 && !due.After(at) {
			t.Errorf("what is borrowed at %s is due at %s", at, due)
		}
		if until := p.HoldUntil(at); !until.After(at) {
			t.Errorf("what comes free at %s is set aside until %s", at, until)
		}
	})
}

func TestADayOfTheLibrary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, at, day, said string }{
		{"UTC", "2026-12-12T23:59:59Z", "2026-12-12", "Saturday, 12 December"},
		{"Europe/Berlin", "2026-12-12T22:59:59Z", "2026-12-12", "Saturday, 12 December"},
		{"Europe/Berlin", "2026-12-12T23:00:00Z", "2026-12-13", "Sunday, 13 December"},
		{"America/New_York", "2027-01-01T04:59:59Z", "2026-12-31", "Thursday, 31 December"},
		{"Pacific/Kiritimati", "2028-02-28T10:00:00Z", "2028-02-29", "Tuesday, 29 February"},
		{"Europe/Gotham", "2026-01-02T00:00:00Z", "2026-01-02", "Friday, 2 January"},
	} {
		p := Policy{TimeZone: c.zone}
		if day, said := p.Day(testkit.Instant(t, c.at)), p.SayDay(testkit.Instant(t, c.at)); day.String() != c.day || said != c.said {
			t.Errorf("%s in %s is %s, %q, want %s, %q", c.at, c.zone, day, said, c.day, c.said)
		}
	}
	if got := (Policy{TimeZone: "Europe/Berlin"}).DayBegins(onDay(2026, 11, 15)); !got.Equal(testkit.Instant(t, "2026-11-14T23:00:00Z")) {
		t.Errorf("15 November begins in Berlin at %s", got)
	}
}

func TestHistoryEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, zone, now, returned string
		days                      int // -1: history is kept
		want                      bool
	}{
		{"what is kept is not forgotten", "UTC", "2026-11-15T12:00:00Z", "1990-01-01T00:00:00Z", -1, false},
		{"at once means at once", "UTC", "2026-11-15T12:00:00Z", "2026-11-15T12:00:00Z", 0, true},
		{"a year is not over", "UTC", "2026-11-15T12:00:00Z", "2025-11-15T12:00:01Z", 365, false},
		{"a year is over", "UTC", "2026-11-15T12:00:00Z", "2025-11-15T12:00:00Z", 365, true},
		{"365 days with a leap day are no year", "UTC", "2028-11-15T12:00:00Z", "2027-11-16T12:00:00Z", 365, true},
		{"a day with 23 hours", "Europe/Berlin", "2026-03-29T11:00:00Z", "2026-03-28T12:00:00Z", 1, true},
		{"a day with 25 hours", "Europe/Berlin", "2026-10-25T11:00:00Z", "2026-10-24T11:00:00Z", 1, false},
		{"after its 25 hours", "Europe/Berlin", "2026-10-25T12:00:00Z", "2026-10-24T11:00:00Z", 1, true},
	} {
		p := Policy{TimeZone: c.zone}
		if c.days >= 0 {
			p.HistoryDays = &c.days
		}
		before, forgets := p.HistoryEnd(testkit.Instant(t, c.now))
		if got := forgets && testkit.Instant(t, c.returned).Before(before); got != c.want {
			t.Errorf("%s: returned at %s, forgotten is what was returned before %s", c.rule, c.returned, before)
		}
	}
}
