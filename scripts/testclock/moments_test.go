package main

import (
	"testing"
	"time"
)

func TestEachMomentIsTheNextOne(t *testing.T) {
	now := time.Date(2026, time.November, 18, 15, 52, 7, 5, time.UTC)
	want := map[string]string{
		"minute": "2026-11-18T15:53:00Z", "quarter": "2026-11-18T16:00:00Z", "hour": "2026-11-18T16:00:00Z",
		"midnight": "2026-11-19T00:00:00Z", "midnight-berlin": "2026-11-18T23:00:00Z", "midnight-auckland": "2026-11-19T11:00:00Z",
		"month": "2026-11-30T23:00:00Z", "year": "2026-12-31T23:00:00Z", "summer": "2027-03-28T01:00:00Z", "winter": "2027-10-31T01:00:00Z",
	}
	for _, m := range moments {
		if got := m.next(now).UTC().Format(time.RFC3339); got != want[m.name] {
			t.Errorf("%s: %s, want %s", m.name, got, want[m.name])
		}
	}
}
