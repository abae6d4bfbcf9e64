package account

import (
	"testing"
	"time"

	"example.org/library/client"
	"example.org/library/internal/testkit"
	"example.org/library/profile"
)

func TestHowLongATokenLasts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	for _, c := range []struct {
		kind  profile.Kind
		token client.Token
		want  string
	}{
		{profile.Person, client.Token{Expiry: now.Add(4 * time.Minute), Refresh: "r", RefreshExpiry: now.Add(30 * time.Minute)},
			"good for 4 minutes; renewed by itself until 03:34"},
		{profile.Person, client.Token{Expiry: now.Add(time.Second), Refresh: "r", RefreshExpiry: now.Add(48 * time.Hour)},
			"good for 1 second; renewed by itself until 2026-01-04 03:04"},
		{profile.Person, client.Token{Expiry: now.Add(3 * time.Hour), Refresh: "r"}, "good for 3 hours; renewed by itself"},
		{profile.Service, client.Token{Expiry: now.Add(72 * time.Hour)}, "good for 3 days; renewed by itself"},
		{profile.Person, client.Token{Expiry: now.Add(-time.Hour)}, "good for no longer"},
		{"", client.Token{}, "good for an unknown time"},
	} {
		testkit.Equal(t, lasts(now, c.kind, c.token), c.want)
	}
}
