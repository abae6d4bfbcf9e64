// Package icalendar writes files that calendar programs read (RFC 5545): events that take a
// whole day. Texts may be strangers'; whatever is in them, they stay texts.
//
// (arran4/golang-ical folds and escapes lines, too, but keeps control characters and unusual line
// ends of texts. It would replace some forty of these lines.)
package icalendar

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"example.org/library/internal/calendar"
)

// ContentType is that of a calendar.
const ContentType = "text/calendar; charset=utf-8"

// Calendar is a file of events.
type Calendar struct {
	Name   string
	Made   time.Time // when what it says was true
	Events []Event
}

// Event takes a whole day, and does not make its person busy.
type Event struct {
	UID         string // the same for the same event in every file
	Sequence    int    // grows when the event changes
	Day         calendar.Date
	Summary     string
	Description string // "" for none
}

const timeLayout = "20060102T150405Z"

// Encode writes the calendar.
func (c Calendar) Encode() []byte {
	var w writer
	w.line("BEGIN", "VCALENDAR")
	w.line("VERSION", "2.0")
	w.line("PRODID", "-//Library//Due dates//EN")
	w.line("CALSCALE", "GREGORIAN")
	w.text("NAME", c.Name)
	w.text("X-WR-CALNAME", c.Name) // what programs read that do not know RFC 7986
	for _, e := range c.Events {
		w.event(e, c.Made)
	}
	if len(c.Events) == 0 {
		w.somethingElse()
	}
	w.line("END", "VCALENDAR")
	return w.Bytes()
}

type writer struct{ bytes.Buffer }

func (w *writer) event(e Event, made time.Time) {
	w.line("BEGIN", "VEVENT")
	w.text("UID", e.UID)
	w.line("DTSTAMP", made.UTC().Format(timeLayout))
	w.line("SEQUENCE", strconv.Itoa(e.Sequence))
	w.line("DTSTART;VALUE=DATE", onlyDate(e.Day))
	w.line("DTEND;VALUE=DATE", onlyDate(e.Day.AddDays(1))) // the first day that is not part of it
	w.text("SUMMARY", e.Summary)
	if e.Description != "" {
		w.text("DESCRIPTION", e.Description)
	}
	w.line("TRANSP", "TRANSPARENT")
	w.line("END", "VEVENT")
}

// somethingElse is in a calendar that has no event: the standard wants one component at
// least, and a time zone that nothing refers to does no harm.
func (w *writer) somethingElse() {
	for _, line := range [][2]string{
		{"BEGIN", "VTIMEZONE"}, {"TZID", "UTC"},
		{"BEGIN", "STANDARD"}, {"DTSTART", "19700101T000000"}, {"TZOFFSETFROM", "+0000"}, {"TZOFFSETTO", "+0000"}, {"END", "STANDARD"},
		{"END", "VTIMEZONE"},
	} {
		w.line(line[0], line[1])
	}
}

func onlyDate(d calendar.Date) string { return fmt.Sprintf("%04d%02d%02d", d.Year, d.Month, d.Day) }

func (w *writer) text(name, value string) { w.line(name, escape(value)) }

// maxLine is the length of a line in bytes, without its end.
const maxLine = 75

// line writes a property. A line that is too long goes on in the next, after a space; no character is divided.
func (w *writer) line(name, value string) {
	rest, room := name+":"+value, maxLine
	for len(rest) > room {
		at := room
		for !utf8.RuneStart(rest[at]) {
			at--
		}
		w.WriteString(rest[:at] + "\r\n ")
		rest, room = rest[at:], maxLine-1
	}
	w.WriteString(rest + "\r\n")
}

// escape makes a text the value of a property. Every kind of line break is one, because
// some programs end a line where the standard does not; other control characters are left out.
func escape(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\' || r == ';' || r == ',':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
			b.WriteString(`\n`)
		case r == '\t' || !unicode.IsControl(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
