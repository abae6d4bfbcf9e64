package e2e

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// migratedByAnother is a file whose schema another program is bringing up to date, until
// done is called.
func migratedByAnother(t *testing.T, journal, begin string) (database string, done func()) {
	t.Helper()
	database = emptySQLite(t)
	if o := runProgram(t, nil, "migrate", "--database", database); o.code != 0 {
		t.Fatal(o.stderr)
	}
	other, err := openSQL(t, database, "rw").Conn(t.Context())
	testkit.NoError(t, err)
	t.Cleanup(func() { other.Close() })
	run := func(text string) {
		if _, err := other.ExecContext(context.Background(), text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	const newest = `(SELECT max(version_id) FROM goose_db_version)`
	run(`PRAGMA journal_mode = ` + journal)
	run(`CREATE TEMPORARY TABLE done AS SELECT * FROM goose_db_version WHERE version_id = ` + newest)
	run(`DELETE FROM goose_db_version WHERE version_id = ` + newest)
	run(begin)
	return database, func() {
		run(`INSERT INTO goose_db_version SELECT * FROM done`)
		run(`COMMIT`)
	}
}

// TestAMigrationOfAnotherProcessIsWaitedFor has it take longer than anybody waits for a
// lock of SQLite.
func TestAMigrationOfAnotherProcessIsWaitedFor(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ journal, begin string }{
		"of a library": {"WAL", "BEGIN IMMEDIATE"},
		"of a file that nobody can read meanwhile": {"DELETE", "BEGIN EXCLUSIVE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database, done := migratedByAnother(t, c.journal, c.begin)
			began := time.Now()
			s := startWithoutDatabase(t, "--database", database, "--sample-data")
			s.AwaitLog(t, regexp.MustCompile(`waiting for the database`))
			status, reason := s.manage(t, "/readyz")
			if status != 503 || !strings.Contains(reason, "another program") || !strings.Contains(reason, "up to date") {
				t.Errorf("/readyz: %d %q", status, reason)
			}
			s.as(t, reader).get("/books").want(503).wantCode("unavailable")
			time.Sleep(12*time.Second - time.Since(began))
			done()
			s.awaitReady(t)
			s.as(t, reader).get("/books").want(200)
			if code := s.stop(t, terminate); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

func TestAMigrationOfAnotherProcessIsWaitedForAsLongAsIsSaid(t *testing.T) {
	t.Parallel()
	database, _ := migratedByAnother(t, "WAL", "BEGIN IMMEDIATE")
	serve := []string{"serve", "--issuer", "http://127.0.0.1:1/", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0"}
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"serve --wait=0":    {append(serve, "--wait=0"), "--wait: it was not waited for"},
		"serve --wait=4s":   {append(serve, "--wait=4s"), "--wait: given up after "},
		"migrate":           {[]string{"migrate"}, "--wait: it was not waited for"},
		"migrate --wait=4s": {[]string{"migrate", "--wait=4s"}, "--wait: given up after "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			o := runProgram(t, nil, append(c.args, "--database", database)...)
			if took := time.Since(began); took > testkit.Bound(15*time.Second) {
				t.Errorf("it gave up after %v", took)
			}
			if o.code != 1 || !strings.Contains(o.stderr, "locked by another program") || !strings.Contains(o.stderr, c.says) {
				t.Errorf("exit code %d: %s", o.code, o.stderr)
			}
		})
	}
}
