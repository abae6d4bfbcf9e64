package calendar

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func date(t testing.TB, s string) Date {
	t.Helper()
	d, ok := ParseDate(s)
	if !ok {
		t.Fatalf("%q is not a date", s)
	}
	return d
}

func zoneNamed(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, ok := TimeZone(name)
	if !ok {
		t.Fatalf("%q is not a time zone", name)
	}
	return zone
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		want       bool
	}{
		{"a date has a year, a month and a day", "2026-12-24", true},
		{"a leap year has a 29 February", "2028-02-29", true},
		{"other years have none", "2026-02-29", false},
		{"every fourth century is a leap year", "2000-02-29", true},
		{"other centuries are not", "2100-02-29", false},
		{"April has 30 days", "2026-04-31", false},
		{"there is no day 0", "2026-12-00", false},
		{"there is no month 0", "2026-00-01", false},
		{"there is no month 13", "2026-13-01", false},
		{"months have two digits", "2026-1-02", false},
		{"days have two digits", "2026-01-2", false},
		{"years have four digits", "226-01-02", false},
		{"and no more", "12026-01-02", false},
		{"nor a sign", "+026-01-02", false},
		{"hyphens are between them", "2026/01/02", false},
		{"nothing is before it", " 2026-01-02", false},
		{"nothing is after it", "2026-01-02 ", false},
		{"a time is not a date", "2026-01-02T00:00:00Z", false},
		{"digits of other scripts are not digits", "٢٠٢٦-01-02", false},
		{"nothing is no date", "", false},
	} {
		d, ok := ParseDate(c.text)
		if ok != c.want || ok && d.String() != c.text {
			t.Errorf("%s: ParseDate(%q) = %s, %t", c.rule, c.text, d, ok)
		}
	}
}

func FuzzParseDate(f *testing.F) {
	for _, s := range []string{"2026-12-24", "2028-02-29", "0000-01-01", "9999-12-31", "2026-02-30", "2026-1-1", "", "2026-12-24\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, ok := ParseDate(s)
		if !ok {
			return
		}
		if d.String() != s || !d.IsReal() {
			t.Errorf("ParseDate(%q) = %v, which is written %s", s, d, d)
		}
		if next := d.AddDays(1); next.Compare(d) <= 0 || d.Compare(next) >= 0 || next.AddDays(-1) != d {
			t.Errorf("%s is followed by %s", d, next)
		}
	})
}

func TestDatesAreCountedByTheCalendar(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		from string
		days int
		want string
	}{
		{"2026-11-15", 0, "2026-11-15"},
		{"2026-11-15", 28, "2026-12-13"},
		{"2026-12-31", 1, "2027-01-01"},
		{"2027-01-01", -1, "2026-12-31"},
		{"2028-02-28", 1, "2028-02-29"},
		{"2028-02-28", 2, "2028-03-01"},
		{"2027-02-28", 1, "2027-03-01"},
		{"2028-02-29", 366, "2029-03-01"},
		{"2026-11-15", 3650, "2036-11-12"},
	} {
		if got := date(t, c.from).AddDays(c.days); got != date(t, c.want) {
			t.Errorf("%s and %d days: %s, want %s", c.from, c.days, got, c.want)
		}
	}
}

func TestDatesHaveAnOrder(t *testing.T) {
	t.Parallel()
	inOrder := []string{"2025-12-31", "2026-01-01", "2026-01-02", "2026-02-01", "2027-01-01"}
	for i, a := range inOrder {
		for j, b := range inOrder {
			got := date(t, a).Compare(date(t, b))
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s and %s: %d", a, b, got)
			}
		}
	}
}

func TestDatesAreStringsInJSON(t *testing.T) {
	t.Parallel()
	want := []Date{date(t, "2026-12-24"), date(t, "2028-02-29")}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `["2026-12-24","2028-02-29"]` {
		t.Fatalf("%s, %v", text, err)
	}
	var got []Date
	if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`["2026-02-30"]`), &got); err == nil {
		t.Error("30 February was accepted")
	}
}

func TestWeekdaysHaveNames(t *testing.T) {
	t.Parallel()
	for day := time.Sunday; day <= time.Saturday; day++ {
		name := WeekdayName(day)
		if got, ok := ParseWeekday(name); name != strings.ToLower(day.String()) || !ok || got != day {
			t.Errorf("%v is called %s, which is %v, %t", day, name, got, ok)
		}
	}
	for _, word := range []string{"", "Monday", "mon", "montag", "0", "monday "} {
		if day, ok := ParseWeekday(word); ok {
			t.Errorf("%q is %v", word, day)
		}
	}
}

func TestTimeZonesHaveIANANames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "America/Port-au-Prince", "Etc/GMT+12", "Asia/Kathmandu", "GMT0", "EST5EDT",
	} {
		if zone, ok := TimeZone(name); !ok || zone.String() != name {
			t.Errorf("%q is %v, %t", name, zone, ok)
		}
	}
	for _, c := range []struct{ rule, name string }{
		{"a zone has a name", ""},
		{"the machine's zone may be another tomorrow", "Local"},
		{"the machine's zone by the name of its file", "localtime"},
		{"no zone has been chosen", "Factory"},
		{"there is no such zone", "Europe/Gotham"},
		{"a continent is no zone", "Europe"},
		{"a path is not a name", "/usr/share/zoneinfo/Europe/Berlin"},
		{"nor does one lead up", "../zoneinfo/Europe/Berlin"},
		{"nor up and down again", "Europe/../Europe/Berlin"},
		{"nor does one stay", "Europe/./Berlin"},
		{"nor with two strokes", "Europe//Berlin"},
		{"nor does one end with a stroke", "Europe/Berlin/"},
		{"nor is it one of Windows", `Europe\Berlin`},
		{"zones with leap seconds are not those of the IANA", "right/Europe/Berlin"},
		{"nor are other copies", "posix/Europe/Berlin"},
		{"other files are no zones", "tzdata.zi"},
		{"an offset is no zone", "+01:00"},
		{"nothing is after the name", "Europe/Berlin\x00"},
		{"nor a space", "Europe/Berlin "},
		{"a name is not endless", "E" + strings.Repeat("x", MaxTimeZone)},
	} {
		if zone, ok := TimeZone(c.name); ok {
			t.Errorf("%s: %q is %v", c.rule, c.name, zone)
		}
	}
}

func TestDayBegins(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, zone, day, want string }{
		{"at midnight in UTC", "UTC", "2026-11-15", "2026-11-15T00:00:00Z"},
		{"before it in the east", "Europe/Berlin", "2026-11-15", "2026-11-14T23:00:00Z"},
		{"in summer earlier by an hour", "Europe/Berlin", "2026-07-01", "2026-06-30T22:00:00Z"},
		{"after it in the west", "America/New_York", "2026-11-15", "2026-11-15T05:00:00Z"},
		{"first where the date changes first", "Pacific/Kiritimati", "2026-11-15", "2026-11-14T10:00:00Z"},
		{"last where it changes last", "Etc/GMT+12", "2026-11-15", "2026-11-15T12:00:00Z"},
		{"on one side of the date line", "Pacific/Apia", "2026-11-15", "2026-11-14T11:00:00Z"},
		{"and on the other", "Pacific/Pago_Pago", "2026-11-15", "2026-11-15T11:00:00Z"},
		{"with half an hour", "Asia/Kolkata", "2026-11-15", "2026-11-14T18:30:00Z"},
		{"with three quarters", "Asia/Kathmandu", "2026-11-15", "2026-11-14T18:15:00Z"},
		{"with three quarters and summer time", "Pacific/Chatham", "2027-01-01", "2026-12-31T10:15:00Z"},
		{"with half an hour of summer time", "Australia/Lord_Howe", "2027-01-01", "2026-12-31T13:00:00Z"},
		{"at one o'clock where there is no midnight", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"},
		{"the same in Cairo", "Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"},
		{"the same in Beirut", "Asia/Beirut", "2027-03-28", "2027-03-27T22:00:00Z"},
		{"after the hour before midnight has come twice", "America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00Z"},
		{"the same in Santiago", "America/Santiago", "2026-04-05", "2026-04-05T04:00:00Z"},
		{"at the first of two midnights of the same day", "America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"},
		{"the same on the Azores", "Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z"},
		{"at the second midnight if the day before is not over", "America/St_Johns", "2010-11-07", "2010-11-07T03:30:00Z"},
		{"with the next day if there is no such day", "Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"},
		{"and that one", "Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"},
	} {
		got := date(t, c.day).Begin(zoneNamed(t, c.zone))
		if !got.Equal(testkit.Instant(t, c.want)) {
			t.Errorf("%s: %s begins in %s at %s, want %s", c.rule, c.day, c.zone, got.UTC().Format(time.RFC3339), c.want)
		}
	}
}

// slowBegin looks at the calendar of the zone minute by minute, and takes the
// last minute before which it is still an earlier day.
func slowBegin(d Date, zone *time.Location) (begin time.Time) {
	midnight := time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC)
	for at := midnight.Add(-40 * time.Hour); at.Before(midnight.Add(40 * time.Hour)); at = at.Add(time.Minute) {
		if DateOf(at.In(zone)).Compare(d) < 0 {
			begin = at.Add(time.Minute)
		}
	}
	return begin
}

func TestDayBeginsWhereTheCalendarSaysSo(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 15))
	for _, name := range testkit.TimeZones {
		zone := zoneNamed(t, name)
		var days []Date
		for range 20 {
			days = append(days, Date{1990, 1, 1}.AddDays(random.IntN(70*365)))
		}
		// The days around changes of the clocks, of which random ones are few.
		for at := time.Date(1990+random.IntN(60), 1, 1, 0, 0, 0, 0, zone); len(days) < 40; {
			_, next := at.ZoneBounds()
			if next.IsZero() {
				break
			}
			days = append(days, DateOf(next), DateOf(next).AddDays(1))
			at = next
		}
		for _, d := range days {
			if got, want := d.Begin(zone), slowBegin(d, zone); !got.Equal(want) {
				t.Errorf("%s begins in %s at %s, want %s", d, name, got.UTC(), want)
			}
		}
	}
}
