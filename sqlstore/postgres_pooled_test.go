package sqlstore_test

import (
	"sync"
	"testing"

	"example.org/library"
	"example.org/library/internal/pgtest"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/storetest"
)

// TestStoreThroughAPooler is TestStore through PgBouncer, behind which every
// transaction may meet another server process. As it comes, PgBouncer knows twenty
// of them, for all clients together.
func TestStoreThroughAPooler(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Open {
		address := pgtest.Pooled(t, databases["postgres"](t))
		return func(t testing.TB) storetest.Database { return open(t, address) }
	})
}

// TestNothingLeaksThroughAPooler starts, works and stops several times at once:
// no lock, no setting and no prepared statement is left to the next. The first migrates.
func TestNothingLeaksThroughAPooler(t *testing.T) {
	t.Parallel()
	direct := emptyDatabases["postgres"](t)
	address := pgtest.Pooled(t, direct)
	for range 3 {
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				store := open(t, address)
				lib := service.New(store)
				if err := lib.Prepare(t.Context(), service.Setup{Samples: sample.Basic}); err != nil {
					t.Error(err)
				}
				if _, err := lib.RunHousekeeping(t.Context()); err != nil {
					t.Error(err)
				}
				if _, err := store.Books(t.Context(), library.BookQuery{Limit: 2}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
	// Each asks one of the processes that PgBouncer keeps, and that all of the above have used.
	store := open(t, address)
	for question, want := range map[string]string{
		`SELECT current_setting('lock_timeout')`:                             "0",
		`SELECT current_setting('idle_in_transaction_session_timeout')`:      "0",
		`SELECT current_setting('statement_timeout')`:                        "0",
		`SELECT current_setting('jit')`:                                      "on",
		`SELECT count(*)::text FROM pg_prepared_statements WHERE name <> ''`: "0",
		// Other tests use other databases of the same server.
		`SELECT count(*)::text FROM pg_locks JOIN pg_database d ON d.oid = database
			WHERE locktype = 'advisory' AND datname = current_database() AND pid <> pg_backend_pid()`: "0",
	} {
		if got := sqlstore.Look(t, store, question); got != want {
			t.Errorf("%s is %s, want %s", question, got, want)
		}
	}
	// A direct connection has the bounds of its session.
	if got := sqlstore.Look(t, open(t, direct), `SELECT current_setting('lock_timeout')`); got != "1s" {
		t.Errorf("a lock is waited for %s", got)
	}
}
