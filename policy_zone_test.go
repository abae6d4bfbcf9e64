package library

import (
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

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
