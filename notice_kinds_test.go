package library

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestRemindersAreDueFromTheTimeOfTheDayOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, zone, noticeTime, now string
		due                         bool
	}{
		{"before it", "UTC", "08:00", "2026-03-02T07:59:59Z", false},
		{"at it", "UTC", "08:00", "2026-03-02T08:00:00Z", true},
		{"in the evening", "UTC", "08:00", "2026-03-02T23:59:59Z", true},
		{"the time is that of the library", "America/New_York", "08:00", "2026-03-02T12:59:59Z", false},
		{"wherever it is", "America/New_York", "08:00", "2026-03-02T13:00:00Z", true},
		{"an hour that the clock leaves out has passed", "Europe/Berlin", "02:30", "2026-03-29T01:00:00Z", true},
		{"before an hour that the clock leaves out it is too early", "Europe/Berlin", "02:30", "2026-03-29T00:59:59Z", false},
		{"midnight is the whole day", "UTC", "00:00", "2026-03-02T00:00:00Z", true},
		{"a time that is not known is the usual one", "UTC", "later", "2026-03-02T07:59:59Z", false},
	} {
		p := DefaultPolicy()
		p.TimeZone, p.NoticeTime = c.zone, c.noticeTime
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(p.DueReminders(now)) > 0; got != c.due {
			t.Errorf("%s: due %t, want %t", c.rule, got, c.due)
		}
	}
}

func TestEachOverdueLoanHasTheHighestValueThatHasPassed(t *testing.T) {
	t.Parallel()
	p := DefaultPolicy()
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC)
	value := func(daysAgo int) string {
		due := p.Day(now).AddDays(-daysAgo).End(time.UTC)
		var found []string
		for _, r := range p.DueReminders(now) {
			if !due.Before(r.From) && !due.After(r.To) {
				found = append(found, fmt.Sprint(r.Kind, " ", r.Value))
			}
		}
		return strings.Join(found, ", ")
	}
	for days, want := range map[int]string{
		-4: "", -3: "due_soon 0", 0: "due_soon 0", 1: "overdue 1", 6: "overdue 1", 7: "overdue 7", 20: "overdue 7", 21: "overdue 21", 4000: "overdue 21",
	} {
		if got := value(days); got != want {
			t.Errorf("due %d days ago: %q, want %q", days, got, want)
		}
	}
	p.DueSoonDays, p.OverdueDays = 0, nil
	if got := value(0) + value(30); got != "" {
		t.Errorf("without reminders: %q", got)
	}
}

func TestMailsArePausedWhereASettingIsAnotherOne(t *testing.T) {
	t.Parallel()
	sent := Outbox{From: "library@example.org", PublicURL: "https://library.example.org", HasSent: true}
	slash := sent
	slash.PublicURL += "/"
	for _, c := range []struct {
		rule      string
		outbox    Outbox
		from, url string
		paused    bool
	}{
		{"the same settings", sent, sent.From, sent.PublicURL, false},
		{"another sender", sent, "copy@example.org", sent.PublicURL, true},
		{"another address", sent, sent.From, "https://copy.example.org", true},
		{"another path", sent, sent.From, sent.PublicURL + "/copy", true},
		{"no address", sent, sent.From, "", true},
		{"a slash more at the end", sent, sent.From, sent.PublicURL + "/", false},
		{"a slash less at the end", slash, sent.From, sent.PublicURL, false},
		{"nothing was sent yet", Outbox{}, sent.From, sent.PublicURL, false},
		{"restored", Outbox{Paused: true}, sent.From, sent.PublicURL, true},
	} {
		if got := c.outbox.IsPaused(&MailSettings{From: c.from, PublicURL: c.url}); got != c.paused {
			t.Errorf("%s: paused %t, want %t", c.rule, got, c.paused)
		}
	}
}

func TestTheTableOfWhenNoticesAreSentIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/notices.md")
	testkit.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "## The kinds of notices\n")
	table, rest, _ := strings.Cut(table, "\n## ")
	rows := strings.Split(table, "\n| `")[1:]
	if len(rows) != len(noticeRules) || rest == "" {
		t.Fatalf("there are %d rows, of %d kinds", len(rows), len(noticeRules))
	}
	for i, r := range noticeRules {
		written, unasked := "at once", "no"
		if r.reminders != nil {
			written = "from `noticeTime` on"
		}
		if r.collects > 0 {
			written += fmt.Sprintf(", sent after %d minute", int(r.collects.Minutes()))
		}
		if r.asked {
			unasked = "yes"
		}
		if want := fmt.Sprintf(" | %s | %s | ", written, unasked); !strings.HasPrefix(rows[i], string(r.kind)+"` | ") || !strings.Contains(rows[i], want) {
			t.Errorf("the row of %s is %q, want %q", r.kind, rows[i], want)
		}
	}
	testkit.Contains(t, table, "`noticeTime` is "+DefaultPolicy().NoticeTime+" unless")
}
