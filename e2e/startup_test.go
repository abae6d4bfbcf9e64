package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// onlyTheFile copies a database file as people do, without what is beside it.
func onlyTheFile(t *testing.T, database string) string {
	t.Helper()
	content, err := os.ReadFile(strings.TrimPrefix(database, "sqlite:"))
	testkit.NoError(t, err)
	path := filepath.Join(t.TempDir(), "copy.db")
	testkit.NoError(t, os.WriteFile(path, content, 0o600))
	return "sqlite:" + path
}

func TestACopyOfTheFileAloneWhileServingHasWhatWasWritten(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	s := startOn(t, database)
	added := into[book](s.as(t, curator).post("/books", map[string]any{"title": "A late arrival"}).want(201))
	testkit.Eventually(t, "the copy has the book", func() bool {
		copied := onlyTheFile(t, database)
		if o := runProgram(t, nil, "migrate", "--database", copied); o.code != 0 {
			return false // it was copied while the log was being written into it
		}
		db := openSQL(t, copied, "ro")
		defer db.Close()
		var n int
		err := db.QueryRow(`SELECT count(*) FROM books WHERE id = ?`, added.Identifier).Scan(&n)
		return err == nil && n == 1
	})
}

// TestAFileWithoutALibraryIsNotMadeOne is for a copy that lost its log, and for
// another program's file.
func TestAFileWithoutALibraryIsNotMadeOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ statement, says string }{
		"without tables":    {`PRAGMA journal_mode = WAL`, "copy again"},
		"another program's": {`CREATE TABLE notes (text)`, "belongs to another program"},
	} {
		for _, command := range []string{"migrate", "serve", "serve --migrate=false"} {
			t.Run(command+" "+name, func(t *testing.T) {
				t.Parallel()
				database := emptySQLite(t)
				db := openSQL(t, database, "rwc")
				testkit.NoError(t, testkit.Err(db.Exec(c.statement)))
				db.Close()
				path := strings.TrimPrefix(database, "sqlite:")
				before, err := os.ReadFile(path)
				testkit.NoError(t, err)
				args := append(strings.Fields(command), "--database", database)
				if command != "migrate" {
					args = append(args, "--issuer", "http://127.0.0.1:1/x", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0")
				}
				o := runProgram(t, nil, args...)
				if o.code != 1 || !strings.Contains(o.stderr, "--database: ") || !strings.Contains(o.stderr, c.says) {
					t.Errorf("exit code %d, and: %s", o.code, o.stderr)
				}
				if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
					t.Errorf("the file has been changed (%v)", err)
				}
			})
		}
	}
}

func TestAFileThatAnotherProgramHoldsIsNamedAtTheStart(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	if o := runProgram(t, nil, "migrate", "--database", database); o.code != 0 {
		t.Fatal(o.stderr)
	}
	// A new version has something to migrate.
	db := openSQL(t, database, "rw")
	testkit.NoError(t, testkit.Err(db.Exec(`DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`)))
	other, err := db.Conn(t.Context())
	testkit.NoError(t, err)
	defer other.Close()
	testkit.NoError(t, testkit.Err(other.ExecContext(context.Background(), `BEGIN IMMEDIATE`)))
	o := runProgram(t, nil, "migrate", "--database", database)
	if o.code != 1 || !strings.Contains(o.stderr, "--database: ") || !strings.Contains(o.stderr, "locked by another program") {
		t.Errorf("exit code %d, and: %s", o.code, o.stderr)
	}
}
