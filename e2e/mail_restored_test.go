package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/internal/testmail"
)

// A library that was restored from a backup may be a copy, for trying something out. Its readers hear nothing from it
// until an admin says so.
func TestARestoredLibraryWritesToNobodyUntilAnAdminSaysSo(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		idp, box := testidp.New(t), testmail.Start(t, testmail.Config{})
		borrowersOf(t, idp, database, 3)
		path := []string{"PATH=" + os.Getenv("PATH")} // of pg_dump
		file := filepath.Join(t.TempDir(), "backup")
		if o := runProgram(t, path, "backup", "--database", database, file); o.code != 0 {
			t.Fatalf("%+v", o)
		}
		restored := emptyDatabase(t, sqlText(database, "sqlite", "postgres"))
		if o := runProgram(t, path, "restore", "--database", restored, file); o.code != 0 {
			t.Fatalf("%+v", o)
		}
		serve := func() *server {
			return startWith(t, idp, "--database", restored, "--smtp", "smtp://"+box.Addr, "--mail-from", "library@example.org", "--mail-rate", "1000")
		}
		s := serve()
		testkit.Eventually(t, "the notices are written", func() bool { return count(t, restored, `SELECT count(*) FROM notices`) == 4 })
		testkit.Equal(t, s.stop(t, terminate), 0)
		s = serve() // and looks for mails at the start
		s.as(t, admin).get("/notices?state=paused").want(200).wantHeader("X-Total-Count", "4")
		s.awaitMailCheck(t)
		testkit.Equal(t, box.Connections(), 0)

		o := runProgram(t, []string{"LIBRARY_SERVER=" + s.base, "LIBRARY_TOKEN=" + s.as(t, admin).token}, "notices", "resume", "--yes")
		testkit.Equal(t, o.code, 0, o.stderr)
		testkit.Contains(t, o.stdout+o.stderr, "Title-1-0", "Title-1-1") // what would be sent
		testkit.Equal(t, s.stop(t, terminate), 0)
		serve()
		testkit.Eventually(t, "all are sent", func() bool { return count(t, restored, `SELECT count(*) FROM notices WHERE state = 'sent'`) == 4 })
		testkit.Equal(t, len(box.Received()), 3, "mails")
	})
}

// awaitMailCheck waits until the program has looked for mails: then it counts what waits.
func (s *server) awaitMailCheck(t testing.TB) {
	t.Helper()
	testkit.Eventually(t, "it has looked for mails", func() bool {
		_, text := s.manage(t, "/metrics")
		return strings.Contains(text, "\nlibrary_notices{")
	})
}
