package sqlstore_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"example.org/library/backup"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

func TestMigrationsHaveEqualNumbers(t *testing.T) {
	t.Parallel()
	names := func(database string) []string {
		entries, err := os.ReadDir("migrations/" + database)
		testkit.NoError(t, err)
		var names []string
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return names
	}
	if sqlite, postgres := names("sqlite"), names("postgres"); !slices.Equal(sqlite, postgres) {
		t.Errorf("sqlite has %v, postgres has %v", sqlite, postgres)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for name, address := range emptyDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := sqlstore.Open(t.Context(), address(t))
			testkit.NoError(t, err)
			defer store.Close()
			if store.Ping(t.Context()) == nil {
				t.Error("a database without a schema can be pinged")
			}
			pending, err := store.Pending(t.Context())
			if len(pending) == 0 || err != nil {
				t.Fatalf("Pending: got %v and error %v", pending, err)
			}
			applied, err := store.Migrate(t.Context())
			if !slices.Equal(applied, pending) || err != nil {
				t.Errorf("Migrate: got %v and error %v, want %v", applied, err, pending)
			}
			if applied, err := store.Migrate(t.Context()); len(applied) != 0 || err != nil {
				t.Errorf("Migrate again: got %v and error %v", applied, err)
			}
			if pending, err := store.Pending(t.Context()); len(pending) != 0 || err != nil {
				t.Errorf("Pending: got %v and error %v", pending, err)
			}

			// A newer program with which this one can live, and one with which it cannot.
			sqlstore.Exec(t, store, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, $1)`, true)
			if pending, err := store.Pending(t.Context()); len(pending) != 0 || err != nil {
				t.Errorf("Pending on a newer schema that is compatible: got %v and error %v", pending, err)
			}
			if applied, err := store.Migrate(t.Context()); len(applied) != 0 || err != nil {
				t.Errorf("Migrate on a newer schema that is compatible: got %v and error %v", applied, err)
			}
			sqlstore.Exec(t, store, `UPDATE compatible_programs SET down_to = 9999`)
			if _, err := store.Pending(t.Context()); !errors.Is(err, sqlstore.ErrNewerSchema) {
				t.Errorf("Pending on a newer schema: %v", err)
			}
			if _, err := store.Migrate(t.Context()); !errors.Is(err, sqlstore.ErrNewerSchema) {
				t.Errorf("Migrate on a newer schema: %v", err)
			}
		})
	}
}

// unreleased are the statements that make what matters of a database from before the first
// version, as it was after some of its migrations.
func unreleased(migrations int) []string {
	all := []string{
		`CREATE TABLE goose_db_version (id INTEGER, version_id BIGINT, is_applied BOOLEAN, tstamp TIMESTAMP)`,
		`CREATE TABLE books (id TEXT)`, `INSERT INTO books (id) VALUES ('kept')`,
	}
	for n := range migrations + 1 {
		all = append(all, fmt.Sprintf(`INSERT INTO goose_db_version (id, version_id, is_applied) VALUES (%d, %d, true)`, n, n))
	}
	switch {
	case migrations == 1, migrations == 17: // the last ones before they became one, and that one
		all = append(all, `CREATE TABLE schema_compatibility (down_to INTEGER NOT NULL)`, `INSERT INTO schema_compatibility (down_to) VALUES (1)`)
	case migrations > 3:
		all = append(all, `CREATE TABLE compatibility (down_to INTEGER NOT NULL)`, `INSERT INTO compatibility (down_to) VALUES (3)`)
	}
	return all
}

// TestADatabaseFromBeforeTheFirstVersionIsRefused in every use, and stays as it is.
func TestADatabaseFromBeforeTheFirstVersionIsRefused(t *testing.T) {
	t.Parallel()
	for name, address := range emptyDatabases {
		for _, migrations := range []int{1, 2, 3, 4, 14, 17} {
			t.Run(fmt.Sprintf("%s %d", name, migrations), func(t *testing.T) {
				t.Parallel()
				address := address(t)
				db := openSQL(t, address)
				for _, text := range unreleased(migrations) {
					testkit.NoError(t, testkit.Err(db.Exec(text)))
				}
				store, err := sqlstore.Open(t.Context(), address)
				testkit.NoError(t, err)
				defer store.Close()
				if _, err := store.Pending(t.Context()); !errors.Is(err, sqlstore.ErrUnreleasedSchema) {
					t.Errorf("Pending: %v", err)
				}
				if _, err := store.Migrate(t.Context()); !errors.Is(err, sqlstore.ErrUnreleasedSchema) {
					t.Errorf("Migrate: %v", err)
				}
				database, err := backup.NewDatabase(address)
				testkit.NoError(t, err)
				err = database.Dump(t.Context(), filepath.Join(t.TempDir(), "copy"), func(string, int64, int64) {})
				if !errors.Is(err, sqlstore.ErrUnreleasedSchema) {
					t.Errorf("a backup, which is checked as one is before it is restored: %v", err)
				}
				var kept, applied int
				err = db.QueryRow(`SELECT (SELECT count(*) FROM books), (SELECT count(*) FROM goose_db_version)`).Scan(&kept, &applied)
				if kept != 1 || applied != migrations+1 || err != nil {
					t.Errorf("%d books and %d migrations are left, error %v", kept, applied, err)
				}
			})
		}
	}
}

// openSQL opens the database at an address past the store.
func openSQL(t testing.TB, address string) *sql.DB {
	t.Helper()
	driver, dsn := "pgx", address
	if path, isFile := strings.CutPrefix(address, "sqlite:"); isFile {
		driver, dsn = "sqlite", "file:"+path
	}
	db, err := sql.Open(driver, dsn)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// TestMigrateAtOnce lets several copies of the program start on a new database:
// goroutines with handles of their own, and processes.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	for name, address := range emptyDatabases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := address(t)
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() {
					if out, err := child(t, "migrate", address).CombinedOutput(); err != nil {
						t.Errorf("child: %v\n%s", err, out)
					}
				})
				all.Go(func() {
					store, err := sqlstore.Open(t.Context(), address)
					if err != nil {
						t.Errorf("Open: %v", err)
						return
					}
					defer store.Close()
					if _, err := store.Migrate(t.Context()); err != nil {
						t.Errorf("Migrate: %v", err)
					}
				})
			}
			all.Wait()
			if err := open(t, address).Ping(t.Context()); err != nil {
				t.Errorf("Ping: %v", err)
			}
		})
	}
}

// child is a command that runs this test program as a process of its own, to
// play one of the roles in crash_test.go.
func child(t testing.TB, role, address string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	testkit.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, addressVariable+"="+address)
	return cmd
}
