package e2e

import (
	"os"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

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
