package booksearch_test

import (
	"context"
	"testing"

	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// databases is every database that tests run on, by the address of a new one that has the newest schema and no records.
var databases = map[string]func(testing.TB) string{"sqlite": testdb.Migrated.SQLite, "postgres": testdb.Migrated.Postgres}

// onEach runs a test on each database. It has the newest schema and no records.
func onEach(t *testing.T, test func(t *testing.T, store *sqlstore.Store)) {
	t.Helper()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t, address(t)))
		})
	}
}

// open opens a database with the newest schema.
func open(t testing.TB, address string) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(context.Background(), address)
	testkit.NoError(t, err)
	t.Cleanup(func() { testkit.NoError(t, store.Close()) })
	testkit.NoError(t, testkit.Err(store.Migrate(context.Background())))
	return store
}
