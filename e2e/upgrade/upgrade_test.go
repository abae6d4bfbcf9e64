package upgrade

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // driver pgx
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // driver sqlite

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// databases are the two kinds, each with the address of an empty one.
var databases = map[string]func(*testing.T) string{
	"sqlite":   func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "library.db") },
	"postgres": func(t *testing.T) string { return pgtest.URL(t) },
}

// TestTheLastVersionWorksBesideThisOne is a rolling upgrade, and a step back.
func TestTheLastVersionWorksBesideThisOne(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, address(t))
			old := s.start(t, "old", oldProgram)
			must(t, "before the upgrade", work(old, old))
			for _, version := range newMigrations(t, name) {
				migrateTo(t, s.database, filepath.Join("../../sqlstore/migrations", name), version)
				must(t, fmt.Sprint("beside migration ", version), work(old, old))
			}
			new := s.start(t, "new", newProgram)
			must(t, "the old one works and the new one reads", work(old, new))
			must(t, "the new one works and the old one reads", work(new, old))
			must(t, "both at the same time", together(old, new))
			new.Kill()
			must(t, "a step back", work(old, old))
		})
	}
}

// newMigrations are the numbers of those that the last version does not have.
func newMigrations(t *testing.T, database string) (numbers []int64) {
	t.Helper()
	folder := filepath.Join("sqlstore/migrations", database)
	known := migrationsIn(t, filepath.Join(oldSource, folder))
	for _, n := range migrationsIn(t, filepath.Join("../..", folder)) {
		if !slices.Contains(known, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

func migrationsIn(t *testing.T, folder string) (numbers []int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "[0-9]*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d migrations in %s, error %v", len(files), folder, err)
	}
	for _, file := range files {
		n, err := goose.NumericComponent(filepath.Base(file))
		testkit.NoError(t, err)
		numbers = append(numbers, n)
	}
	slices.Sort(numbers)
	return numbers
}

// migrateTo applies the migrations of a folder up to a number, beside what is running.
func migrateTo(t *testing.T, database, folder string, version int64) {
	t.Helper()
	db, dialect := openSQL(t, database)
	p, err := goose.NewProvider(dialect, db, os.DirFS(folder), goose.WithDisableGlobalRegistry(true), goose.WithAllowOutofOrder(true))
	if err == nil {
		_, err = p.UpTo(t.Context(), version)
	}
	if err != nil {
		t.Fatalf("migrate to %d: %v", version, err)
	}
}

func openSQL(t *testing.T, database string) (*sql.DB, goose.Dialect) {
	t.Helper()
	driver, source, dialect := "pgx", database, goose.DialectPostgres
	if path, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		driver, source, dialect = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)", goose.DialectSQLite3
	}
	db, err := sql.Open(driver, source)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db, dialect
}
