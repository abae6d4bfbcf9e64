package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// events are what a calendar says, an event after the other, with folded lines made whole.
func events(t *testing.T, a reply) (all []map[string]string) {
	t.Helper()
	if kind := a.header.Get("Content-Type"); kind != "text/calendar; charset=utf-8" {
		t.Errorf("Content-Type is %q", kind)
	}
	text := strings.ReplaceAll(string(a.body), "\r\n ", "")
	if !strings.HasPrefix(text, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n") || !strings.HasSuffix(text, "\r\nEND:VCALENDAR\r\n") {
		t.Errorf("no calendar: %q", text)
	}
	for _, part := range strings.Split(text, "BEGIN:VEVENT\r\n")[1:] {
		event := map[string]string{}
		for line := range strings.SplitSeq(part, "\r\n") {
			name, value, _ := strings.Cut(line, ":")
			event[name] = value
		}
		all = append(all, event)
	}
	return all
}

// eventIs compares the only event with what is wanted of it.
func eventIs(want map[string]string) func(*testing.T, *story, reply) {
	return func(t *testing.T, s *story, a reply) {
		t.Helper()
		all := events(t, a)
		if len(all) != 1 {
			t.Fatalf("%d events: %s", len(all), a.body)
		}
		for name, value := range want {
			testkit.Equal(t, all[0][name], s.fill(t, value))
		}
	}
}

func noEvent(t *testing.T, _ *story, a reply) {
	t.Helper()
	testkit.Equal(t, len(events(t, a)), 0)
}

func TestTheCalendarHasTheDueDaysOfOnesOwnLoans(t *testing.T) {
	t.Parallel()
	runSteps(t, []step{
		{rule: "who has nothing has a calendar", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: noEvent},
		{rule: "given a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200, keep: "loan:loan.identifier"},
		{rule: "and somebody else's", as: bruceBanner, ask: "POST /books/{patterns}/borrow", status: 200},
		{rule: "its day is in the calendar", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: eventIs(map[string]string{
			"UID": "{loan}", "SEQUENCE": "0", "DTSTAMP": "20260302T100000Z", "DTSTART;VALUE=DATE": "20260330", "DTEND;VALUE=DATE": "20260331",
			"SUMMARY": "Due: Clean Code", "DESCRIPTION": "Robert C. Martin"})},
		{rule: "staff have their own", as: peterParker, ask: "GET /me/calendar", status: 200, then: noEvent},
		{rule: "one can ask for its head alone", as: bruceWayne, ask: "HEAD /me/calendar", status: 200},
		{rule: "there is nothing to ask for", as: bruceWayne, ask: "GET /me/calendar?user={banner}", status: 400, code: "bad_query", then: names("user")},
		{rule: "in the caller's language", as: bruceWayne, ask: "PUT /me", body: `{"locale":"de"}`, status: 200},
		{rule: "too", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: eventIs(map[string]string{"SUMMARY": "Fällig: Clean Code"})},
		{rule: "as of later, a renewal", at: "2026-03-09T23:30:00Z", as: bruceWayne, ask: "POST /loans/{loan}/renew", status: 200},
		{rule: "moves the event that there is", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: eventIs(map[string]string{
			"UID": "{loan}", "SEQUENCE": "1", "DTSTART;VALUE=DATE": "20260406", "DTSTAMP": "20260309T233000Z"})},
		{rule: "given another time zone", as: clarkKent, ask: "PUT /policy", body: `{"timeZone":"Pacific/Kiritimati"}`, status: 200},
		{rule: "the day is the same", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: eventIs(map[string]string{"DTSTART;VALUE=DATE": "20260406"})},
		{rule: "what came back", as: bruceWayne, ask: "POST /loans/{loan}/return", status: 200},
		{rule: "is no longer there", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: noEvent},
		{rule: "given loans without an end", as: clarkKent, ask: "PUT /policy", body: `{"loanDays":0}`, status: 200},
		{rule: "a loan", as: bruceWayne, ask: "POST /books/{clean}/borrow", status: 200},
		{rule: "has no day", as: bruceWayne, ask: "GET /me/calendar", status: 200, then: noEvent},
	})
}

func TestTheCalendarIsInEveryLanguage(t *testing.T) {
	t.Parallel()
	for _, locale := range library.Locales {
		w := newWorld(t)
		w.send(t, request{as: bruceWayne, method: http.MethodPut, path: "/me", body: `{"locale":"` + locale + `"}`}).want(t, 200, "")
		w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/books/" + cleanCode + "/borrow"}).want(t, 200, "")
		a := w.send(t, request{as: bruceWayne, method: http.MethodGet, path: "/me/calendar"}).want(t, 200, "")
		if summary := events(t, a)[0]["SUMMARY"]; !strings.HasSuffix(summary, ": Clean Code") {
			t.Errorf("in %s the event is called %q", locale, summary)
		}
	}
}
