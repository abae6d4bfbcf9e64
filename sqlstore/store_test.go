package sqlstore_test

import (
	"context"
	"path/filepath"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testdb"
	"example.org/library/sqlstore"
	"example.org/library/storetest"
)

// databases is every database that tests run on, by the address of a new one that has
// the newest schema and no records.
var databases = map[string]func(testing.TB) string{"sqlite": testdb.Migrated.SQLite, "postgres": testdb.Migrated.Postgres}

// emptyDatabases have no schema, for tests of migrations.
var emptyDatabases = map[string]func(testing.TB) string{
	"sqlite":   func(t testing.TB) string { return "sqlite:" + filepath.Join(t.TempDir(), "library.db") },
	"postgres": func(t testing.TB) string { return pgtest.URL(t) },
}

func TestStore(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Run(t, func(t testing.TB) storetest.Open {
				address := address(t)
				return func(t testing.TB) storetest.Database { return open(t, address) }
			})
		})
	}
}

// open opens a database with the newest schema.
func open(t testing.TB, address string) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(context.Background(), address)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	if _, err := store.Migrate(context.Background()); err != nil {
		t.Fatalf("Migrate: %v", err)
	}
	return store
}
