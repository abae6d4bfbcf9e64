package testkit

import (
	"testing"
	"time"
	_ "time/tzdata" // so that tests of time zones do not depend on the machine
)

// Instant parses an instant such as 2026-11-15T12:00:00Z.
func Instant(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	NoError(t, err)
	return at
}

// AwayFromMidnight waits for the new day if one is about to begin in UTC or in Berlin, the time zones of most tests.
// After midnight a loan due in 28 days is due in 27.
func AwayFromMidnight() {
	const enough = 2 * time.Minute
	for _, zone := range []string{"UTC", "Europe/Berlin"} {
		place, err := time.LoadLocation(zone)
		if err != nil {
			panic(err) // it is in this program
		}
		year, month, day := time.Now().In(place).Date()
		if left := time.Until(time.Date(year, month, day+1, 0, 0, 0, 0, place)); left < enough {
			time.Sleep(left)
		}
	}
}

// TimeZones are time zones with and without unusual changes.
var TimeZones = []string{
	"UTC", "Europe/Berlin", "Europe/London", "Europe/Dublin", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo",
	"America/Havana", "America/Santiago", "America/St_Johns", "America/Nuuk", "America/Scoresbysund", "America/Asuncion",
	"Atlantic/Azores", "Africa/Cairo", "Africa/Casablanca", "Asia/Beirut", "Asia/Gaza", "Asia/Tehran", "Asia/Amman", "Asia/Kolkata",
	"Asia/Kathmandu", "Asia/Pyongyang", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Chatham", "Pacific/Apia",
	"Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Kwajalein", "Antarctica/Troll", "Etc/GMT+12", "Etc/GMT-14",
}
