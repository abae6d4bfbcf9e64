package library

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestTheTableOfWhenNoticesAreSentIsTrue(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/notices.md")
	testkit.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "## When they are sent\n")
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
		if r.wanted {
			unasked = "yes"
		}
		if want := fmt.Sprintf("%s` | %s | %s | ", r.kind, written, unasked); !strings.HasPrefix(rows[i], want) {
			t.Errorf("the row of %s is %q, want %q", r.kind, rows[i], want)
		}
	}
	testkit.Contains(t, table, "`noticeTime` is "+DefaultPolicy().NoticeTime+" unless")
}
