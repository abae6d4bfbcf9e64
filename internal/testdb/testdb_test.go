package testdb_test

import (
	"context"
	"testing"

	"example.org/library"
	"example.org/library/internal/testdb"
	"example.org/library/internal/testkit"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

var sampled = testdb.New(func(ctx context.Context, store *sqlstore.Store) error {
	return service.New(store).Prepare(ctx, service.Setup{Samples: sample.Basic})
})

var kinds = map[string]func(testing.TB) string{"sqlite": sampled.SQLite, "postgres": sampled.Postgres}

func open(t testing.TB, address string) *sqlstore.Store {
	t.Helper()
	store, err := sqlstore.Open(t.Context(), address)
	testkit.NoError(t, err)
	t.Cleanup(func() { store.Close() })
	return store
}

func TestACopyHoldsWhatTheTemplateDoesAndNothingOfAnother(t *testing.T) {
	t.Parallel()
	const clark = "clark.kent@example.com"
	for kind, newDatabase := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			first, second := open(t, newDatabase(t)), open(t, newDatabase(t))
			lib := service.New(first)
			u, _, err := lib.Caller(t.Context(), clark)
			testkit.NoError(t, err)
			admin := library.Actor{User: u, Authorities: u.Authorities()}
			testkit.NoError(t, testkit.Err(lib.AddUser(t.Context(), admin, "", library.UserFields{Email: "a@example.com", FirstName: "A", LastName: "A"})))
			if _, _, err := second.UserByEmail(t.Context(), clark); err != nil {
				t.Errorf("the second copy: %v", err)
			}
			if _, _, err := second.UserByEmail(t.Context(), "a@example.com"); err == nil {
				t.Error("what was added to one copy is in the other")
			}
			if n, err := second.Migrate(t.Context()); err != nil || len(n) > 0 {
				t.Errorf("a copy had to be migrated: %v, %v", n, err)
			}
		})
	}
}
