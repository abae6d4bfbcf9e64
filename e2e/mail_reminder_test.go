package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// A reader whose book is due tomorrow is told so by mail, once: after a restart nobody hears it again.
func TestAReminderReachesTheReaderOnce(t *testing.T) {
	t.Parallel()
	idp, box := testidp.New(t), filepath.Join(t.TempDir(), "mails")
	args := []string{"--database", emptySQLite(t), "--sample-data", "--smtp", "maildir:" + box, "--mail-from", "library@example.org", "--drain", "0s"}
	s := startWith(t, idp, args...)
	s.awaitReady(t)
	admin := idp.Token(t, "clark.kent@example.com", "library_admin email profile")
	s.with(t, admin).put("/policy", map[string]any{"loanDays": 1, "dueSoonDays": 3, "noticeTime": "00:00"}).want(200)
	s.with(t, idp.Token(t, "bruce.wayne@example.com", "library_user email profile")).post("/books/f9bf70d6-e56d-4cab-be6b-294cd05f599f/borrow", nil).want(200)
	testkit.Equal(t, s.stop(t, syscall.SIGTERM), 0) // what looks every 30 seconds also looks at the start
	for range 2 {
		s = startWith(t, idp, args...)
		s.awaitReady(t)
		testkit.Eventually(t, "a notice that is sent", func() bool {
			return strings.Contains(string(s.with(t, admin).get("/notices?kind=due_soon").want(200).Body), `"sent"`)
		})
		testkit.Equal(t, s.stop(t, syscall.SIGTERM), 0)
	}
	mails, err := filepath.Glob(filepath.Join(box, "new", "*"))
	testkit.NoError(t, err)
	if len(mails) != 1 {
		t.Fatalf("%d mails", len(mails))
	}
	mail, err := os.ReadFile(mails[0])
	testkit.NoError(t, err)
	if !strings.Contains(string(mail), "Subject: Due on ") || !strings.Contains(string(mail), "bruce.wayne@example.com") || !strings.Contains(string(mail), "Clean Code") {
		t.Errorf("got %s", mail)
	}
}
