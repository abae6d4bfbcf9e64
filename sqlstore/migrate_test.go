package sqlstore_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"example.org/library/sqlstore"
)

func TestMigrationsHaveEqualNumbers(t *testing.T) {
	t.Parallel()
	names := func(database string) []string {
		entries, err := os.ReadDir("migrations/" + database)
		if err != nil {
			t.Fatal(err)
		}
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
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, err := sqlstore.Open(t.Context(), address(t))
			if err != nil {
				t.Fatal(err)
			}
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
			sqlstore.Exec(t, store, `UPDATE compatibility SET down_to = 9999`)
			if _, err := store.Pending(t.Context()); !errors.Is(err, sqlstore.ErrNewerSchema) {
				t.Errorf("Pending on a newer schema: %v", err)
			}
			if _, err := store.Migrate(t.Context()); !errors.Is(err, sqlstore.ErrNewerSchema) {
				t.Errorf("Migrate on a newer schema: %v", err)
			}
		})
	}
}

// TestMigrateAtOnce lets several copies of the program start on a new database:
// goroutines with handles of their own, and processes.
func TestMigrateAtOnce(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
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
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, addressVariable+"="+address)
	return cmd
}
