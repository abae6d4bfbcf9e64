package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.org/library/api"
	"example.org/library/internal/calendar"
	"example.org/library/internal/icalendar"
	"example.org/library/internal/testkit"
)

// calendarFile is a calendar as the library icalendar, which others wrote, reads it.
type calendarFile struct {
	Name   string
	Events []calendarEvent
}

type calendarEvent struct {
	UID, Stamp, Start, Summary, Description string
	Sequence, Days                          int
}

// readCalendar fails the test when the library is not installed.
func readCalendar(t testing.TB, file []byte) (read calendarFile) {
	t.Helper()
	cmd := exec.CommandContext(testkit.Context(t), "/usr/bin/python3", "foreign/read_calendar.py")
	cmd.Env = append(os.Environ(), "PYTHONPATH="+pythonModules(t))
	cmd.Stdin = bytes.NewReader(file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, &stderr, file)
	}
	testkit.NoError(t, json.Unmarshal(out, &read))
	return read
}

// pythonModules is where the packages in thirdparty/requirements.txt are.
func pythonModules(t testing.TB) string {
	t.Helper()
	folder, err := filepath.Abs("thirdparty/python_modules")
	testkit.NoError(t, err)
	wanted, err := os.ReadFile("thirdparty/requirements.txt")
	testkit.NoError(t, err)
	if installed, err := os.ReadFile(filepath.Join(folder, ".installed")); err != nil || !bytes.Equal(wanted, installed) {
		t.Fatal("what e2e/thirdparty/requirements.txt names is not installed; run `make deps`")
	}
	return folder
}

// strangeTitles is what strangers call their books.
var strangeTitles = []string{
	`Eats, Shoots; and Leaves: a \ "Guide"`,
	`\n \, \; BEGIN:VEVENT`,
	strings.Repeat("百年孤獨", 63),
	strings.Repeat("👩‍👩‍👧", 51),
	"ألف ليلة وليلة",
	"a\u2028b\u2029c",
	"<script>alert(1)</script>",
	strings.Repeat("x", 255),
}

func TestTheCalendarIsReadByAProgramOfOthers(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t), "--name", "Riverside, Library; \\")
	bruce := s.as(t, reader)
	if none := readCalendar(t, bruce.get("/me/calendar").want(200).Body); len(none.Events) != 0 {
		t.Errorf("events of nothing: %v", none)
	}
	curator := s.as(t, curator)
	for _, title := range strangeTitles {
		b := into[book](curator.post("/books", map[string]any{"title": title, "authors": []string{"Öz, A.; B."}}).want(201))
		bruce.post("/books/"+b.Identifier+"/borrow", nil).want(200)
	}
	admin := s.as(t, admin)
	admin.put("/policy", map[string]any{"loanDays": 60, "timeZone": "Pacific/Apia"}).want(200)
	bruce.post("/loans/"+into[[]api.Loan](bruce.get("/loans").want(200))[0].Identifier+"/renew", nil).want(200)
	loans := into[[]api.Loan](bruce.get("/loans").want(200))

	read := readCalendar(t, bruce.get("/me/calendar").want(200).wantHeader("Content-Type", "text/calendar; charset=utf-8").Body)
	testkit.Equal(t, read.Name, "Riverside, Library; \\")
	zone, err := time.LoadLocation("Pacific/Apia")
	testkit.NoError(t, err)
	var want []calendarEvent
	for i, l := range loans {
		due, err := time.Parse(time.RFC3339, l.DueAt)
		testkit.NoError(t, err)
		want = append(want, calendarEvent{
			UID: l.Identifier, Start: due.In(zone).Format(time.DateOnly), Days: 1, Stamp: read.Events[i].Stamp, Description: "Öz, A.; B.",
			Summary: "Due: " + strings.NewReplacer("\u2028", "\n", "\u2029", "\n").Replace(l.Book.Title),
		})
	}
	want[len(want)-1].Sequence = 1 // it was renewed, and is due last
	testkit.Diff(t, want, read.Events)
}

func TestLineBreaksAreReadByAProgramOfOthers(t *testing.T) {
	t.Parallel()
	event := icalendar.Event{UID: "a", Day: calendar.Date{Year: 2028, Month: 2, Day: 29}, Summary: "one\r\ntwo\rthree\nEND:VEVENT\x00", Description: "\r\n"}
	made := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	read := readCalendar(t, icalendar.Calendar{Name: "A\nB", Made: made, Events: []icalendar.Event{event}}.Encode())
	testkit.Diff(t, calendarFile{Name: "A\nB", Events: []calendarEvent{{
		UID: "a", Stamp: "2026-03-02T10:00:00+00:00", Start: "2028-02-29", Days: 1, Summary: "one\ntwo\nthree\nEND:VEVENT", Description: "\n",
	}}}, read)
}
