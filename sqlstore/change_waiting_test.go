package sqlstore_test

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// TestTheHistoryIsBoundedWhileATransactionIsOpen lets somebody write something and
// do nothing more, for longer than the history is. Readers cannot see what happens
// meanwhile; those who were there before learn that they have missed something.
func TestTheHistoryIsBoundedWhileATransactionIsOpen(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store := open(t, address)
	before := lastChange(t, store)
	others, err := sql.Open("pgx", address+"&application_name=forgotten")
	testkit.NoError(t, err)
	defer others.Close()
	idle, err := others.Begin()
	testkit.NoError(t, err)
	defer idle.Rollback()
	testkit.NoError(t, testkit.Err(idle.Exec(`CREATE TEMPORARY TABLE anything ()`)))
	most := 0
	for range 45 {
		sqlstore.AddChanges(t, store, 1000)
		_, kept := sqlstore.OldestChange(t, store)
		most = max(most, kept)
	}
	if most > 22_000 || most < 10_000 {
		t.Errorf("%d changes were kept", most)
	}
	if _, err := store.Changes(t.Context(), before, 1); !errors.Is(err, library.ErrPositionLost) {
		t.Errorf("from before the gap: error %v", err)
	}
	wantWaiting(t, store, "forgotten")

	// A stream that begins now sees nothing yet, and nothing that was dropped since.
	after := lastChange(t, store)
	if changes, err := store.Changes(t.Context(), after, 10); err != nil || len(changes) != 0 {
		t.Errorf("while the transaction is open: %d changes, error %v", len(changes), err)
	}
	sqlstore.AddChanges(t, store, 100)
	testkit.NoError(t, idle.Commit())
	testkit.Eventually(t, "the newest changes can be seen", func() bool {
		changes, err := store.Changes(t.Context(), after, 30_000)
		testkit.NoError(t, err)
		if len(changes) < 10_000 {
			return false
		}
		for i, c := range changes[1:] {
			if c.Position.Seq != changes[i].Position.Seq+1 {
				t.Fatalf("%+v follows %+v", c.Position, changes[i].Position)
			}
		}
		return true
	})
}

func wantWaiting(t *testing.T, store *sqlstore.Store, application string) {
	t.Helper()
	testkit.Eventually(t, "the oldest transaction is that of "+application, func() bool {
		w, err := store.EventsWaitFor(t.Context())
		testkit.NoError(t, err)
		return w.Application == application && w.PID > 0 && w.Transaction > 0 && w.For > 0 && w.For < time.Hour
	})
}
