package icalendar

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"example.org/library/internal/calendar"
)

var made = time.Date(2026, 3, 2, 11, 0, 0, 0, time.FixedZone("", 3600))

func TestACalendarHasAnEventForAWholeDay(t *testing.T) {
	t.Parallel()
	c := Calendar{Name: "Riverside Library", Made: made, Events: []Event{{
		UID: "3f0e", Sequence: 2, Day: calendar.Date{Year: 2026, Month: 12, Day: 31}, Summary: "Due: Homo faber", Description: "Max Frisch",
	}}}
	want := strings.Join([]string{
		"BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Library//Due dates//EN", "CALSCALE:GREGORIAN",
		"NAME:Riverside Library", "X-WR-CALNAME:Riverside Library",
		"BEGIN:VEVENT", "UID:3f0e", "DTSTAMP:20260302T100000Z", "SEQUENCE:2", "DTSTART;VALUE=DATE:20261231", "DTEND;VALUE=DATE:20270101",
		"SUMMARY:Due: Homo faber", "DESCRIPTION:Max Frisch", "TRANSP:TRANSPARENT", "END:VEVENT",
		"END:VCALENDAR", "",
	}, "\r\n")
	if got := string(c.Encode()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestACalendarWithoutEventsHasAComponent(t *testing.T) {
	t.Parallel()
	got := string(Calendar{Name: "Library", Made: made}.Encode())
	if strings.Contains(got, "VEVENT") || strings.Count(got, "BEGIN:VTIMEZONE\r\n") != 1 || !strings.HasSuffix(got, "END:VTIMEZONE\r\nEND:VCALENDAR\r\n") {
		t.Error(got)
	}
}

func TestATextStaysAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`a,b;c\d:e"f`:                 `a\,b\;c\\d:e"f`,
		"one\ntwo\r\nthree\rfour":     `one\ntwo\nthree\nfour`,
		"v\vf\fn\u0085l\u2028p\u2029": `v\nf\nn\nl\np\n`,
		"null\x00bell\adel\x7f\ttab":  "nullbelldel\ttab",
		"broken\xff":                  "broken\uFFFD",
		"\r\nEND:VCALENDAR\r\n":       `\nEND:VCALENDAR\n`,
		"":                            "",
	} {
		if got := escape(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzNoTextBreaksTheLines(f *testing.F) {
	for _, text := range []string{"", "Homo faber", strings.Repeat("😀", 255), strings.Repeat("a", 67) + "é", "\r\n \r\n", "a,\\;\xf0\x9f", strings.Repeat(",", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := string(Calendar{Name: text, Events: []Event{{UID: text, Summary: text, Description: text}}}.Encode())
		if !strings.HasSuffix(got, "\r\n") || !utf8.ValidString(got) {
			t.Fatalf("%q", got)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(got, "\r\n"), "\r\n") {
			if len(line) > maxLine || line == "" || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("%q", line)
			}
		}
		unfolded := strings.ReplaceAll(got, "\r\n ", "")
		if !strings.Contains(unfolded, "\r\nSUMMARY:"+escape(text)+"\r\n") || strings.Count(unfolded, "\r\nBEGIN:") != 1 {
			t.Fatalf("%q", unfolded)
		}
	})
}
