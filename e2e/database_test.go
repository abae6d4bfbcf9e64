package e2e

import (
	"database/sql"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // driver pgx
	_ "modernc.org/sqlite"             // driver sqlite

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// onEachDatabase runs a test once with the address of an empty SQLite database
// and once with that of an empty PostgreSQL database, at the same time.
func onEachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, emptySQLite(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, pgtest.URL(t))
	})
}

func emptySQLite(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "library.db")
}

// openSQL opens the database past the program. SQLite is opened for reading
// only, unless it is to be written to.
func openSQL(t testing.TB, database string, mode string) *sql.DB {
	t.Helper()
	driver, source := "pgx", database
	if path, ok := strings.CutPrefix(database, "sqlite:"); ok {
		driver, source = "sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: "mode=" + mode + "&_pragma=busy_timeout(10000)"}).String()
	}
	db, err := sql.Open(driver, source)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// count runs a query for one number.
func count(t testing.TB, database, query string) int {
	t.Helper()
	db := openSQL(t, database, "ro")
	defer db.Close()
	var n int
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// sqlText chooses between the two dialects.
func sqlText(database, sqlite, postgres string) string {
	if strings.HasPrefix(database, "sqlite:") {
		return sqlite
	}
	return postgres
}

// emptyDatabase is the address of an empty database of that kind.
func emptyDatabase(t testing.TB, kind string) string {
	if kind == "sqlite" {
		return emptySQLite(t)
	}
	return pgtest.URL(t)
}
