package finding_test

import (
	"context"
	"database/sql"
	"testing"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// databases is every database that tests run on, by the address of a new one that has
// the newest schema and no records.
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

// patient is for tests that are not about how long a statement may take: on a busy machine any takes long.
func patient(t testing.TB) context.Context {
	return library.WithStoreTimeout(t.Context(), testkit.Timeout(t))
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

// prepared is a database with the sample data.
func prepared(t testing.TB, address string) *sqlstore.Store {
	t.Helper()
	store := open(t, address)
	testkit.NoError(t, service.New(store).Prepare(t.Context(), service.Setup{Samples: sample.Basic}))
	return store
}

func connect(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", address)
	testkit.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}
