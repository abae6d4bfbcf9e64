package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestWhatLooksDamagedIsReadyAfterAGoodCheck(t *testing.T) {
	t.Parallel()
	garbage := filepath.Join(t.TempDir(), "garbage")
	testkit.NoError(t, os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 400)), 0o600))
	db := OpenPlain(DSN(garbage))
	defer db.Close()
	var n int
	err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM sqlite_schema`).Scan(&n)
	if err == nil {
		t.Fatal("garbage is a database")
	}
	e, openErr := Open(t.Context(), filepath.Join(t.TempDir(), "library.db"))
	if openErr != nil {
		t.Fatal(openErr)
	}
	defer e.Close()
	testkit.NoError(t, testkit.Err(e.write.ExecContext(t.Context(), `CREATE TABLE changed_books (seq INTEGER PRIMARY KEY, mark INTEGER, books TEXT)`)))
	e.damage.notice(err)
	if err := e.Ready(t.Context(), `SELECT 1`); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("ready: %v", err)
	}
	testkit.Eventually(t, "the check finds nothing", func() bool { return e.Ready(t.Context(), `SELECT 1`) == nil })
}
