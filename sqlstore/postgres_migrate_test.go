package sqlstore_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// TestMigrationsOfPostgresHaveBounds of their own, because a session of a pooler
// has none, and a direct one has those of callers.
func TestMigrationsOfPostgresHaveBounds(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("migrations/postgres/[0-9]*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		testkit.NoError(t, err)
		const want = "-- +goose Up\nSET LOCAL lock_timeout = '1s';\nSET LOCAL statement_timeout = 0;\n"
		if !strings.HasPrefix(string(text), want) {
			t.Errorf("%s does not begin with\n%s", name, want)
		}
	}
}

// TestAMigrationKeepsNobodyWaiting lets somebody read for seconds in a transaction,
// behind which the migration has to wait, and others write all the time.
func TestAMigrationKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store, err := sqlstore.Open(t.Context(), address)
	testkit.NoError(t, err)
	defer store.Close()
	testkit.NoError(t, testkit.Err(store.Migrate(t.Context())))
	for _, text := range lendingByHand {
		sqlstore.Exec(t, store, text)
	}
	others, err := sql.Open("pgx", address)
	testkit.NoError(t, err)
	defer others.Close()
	reading, err := others.Begin()
	testkit.NoError(t, err)
	defer reading.Rollback()
	testkit.NoError(t, testkit.Err(reading.Exec(`SELECT 1 FROM books, loans, users, stock, policy`)))
	const held = 5 * time.Second
	release := time.AfterFunc(held, func() { reading.Rollback() })
	defer release.Stop()

	ctx, stop := context.WithCancel(t.Context())
	var writing sync.WaitGroup
	var longest time.Duration
	writing.Go(func() {
		for ctx.Err() == nil {
			began := time.Now()
			if _, err := others.Exec(`UPDATE books SET version = version WHERE id = 'b'`); err != nil {
				t.Errorf("write: %v", err)
			}
			longest = max(longest, time.Since(began))
			time.Sleep(time.Millisecond)
		}
	})
	sqlstore.AddMigration(t, store, "9999_test.sql", `-- +goose Up
SET LOCAL lock_timeout = '1s';
SET LOCAL statement_timeout = 0;
ALTER TABLE users ADD COLUMN nickname TEXT;
ALTER TABLE books ADD COLUMN spine TEXT;
`)
	if applied, err := store.Migrate(t.Context()); err != nil || !slices.Equal(applied, []string{"9999_test.sql"}) {
		t.Errorf("Migrate: %v, error %v", applied, err)
	}
	stop()
	writing.Wait()
	t.Logf("the longest write took %v", longest)
	if longest > testkit.Bound(held/2) {
		t.Errorf("somebody waited %v to write", longest)
	}
}
