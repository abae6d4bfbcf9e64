package main

import "time"

// moment is a time at which something begins.
type moment struct {
	name string
	next func(now time.Time) time.Time // the first one after now
}

// moments are chosen from at random. The zones are those of the tests.
var moments = []moment{
	{"minute", every(time.Minute)},
	{"quarter", every(15 * time.Minute)},
	{"hour", every(time.Hour)},
	{"midnight", inZone("UTC", day)},
	{"midnight-berlin", inZone("Europe/Berlin", day)},
	{"midnight-auckland", inZone("Pacific/Auckland", day)},
	{"month", inZone("Europe/Berlin", month)},
	{"year", inZone("Europe/Berlin", year)},
	{"summer", inZone("Europe/Berlin", clockChange(true))},
	{"winter", inZone("Europe/Berlin", clockChange(false))},
}

func names() []string {
	var out []string
	for _, m := range moments {
		out = append(out, m.name)
	}
	return out
}

func every(d time.Duration) func(time.Time) time.Time {
	return func(now time.Time) time.Time { return now.UTC().Truncate(d).Add(d) }
}

func inZone(name string, next func(time.Time) time.Time) func(time.Time) time.Time {
	return func(now time.Time) time.Time {
		zone, err := time.LoadLocation(name)
		if err != nil {
			panic(err)
		}
		return next(now.In(zone))
	}
}

func day(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location())
}

func month(now time.Time) time.Time {
	return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, now.Location())
}

func year(now time.Time) time.Time {
	return time.Date(now.Year()+1, time.January, 1, 0, 0, 0, 0, now.Location())
}

// clockChange returns when summer time begins or ends. It does so at a full hour.
func clockChange(begins bool) func(time.Time) time.Time {
	return func(now time.Time) time.Time {
		t := now.Truncate(time.Hour)
		for {
			before := t.IsDST()
			t = t.Add(time.Hour)
			if t.IsDST() != before && t.IsDST() == begins {
				return t
			}
		}
	}
}
