package sqlstore_test

import (
	"context"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
)

// TestALockThatSomebodyHasIsNotWaitedFor asks for one while another copy of the
// program is at work.
func TestALockThatSomebodyHasIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := address(t)
			stores := []*sqlstore.Store{open(t, address), open(t, address)}
			ran, err := stores[0].Alone(t.Context(), library.BackupLock, func(ctx context.Context) error {
				for range 3 {
					began := time.Now()
					ran, err := stores[1].Alone(ctx, library.BackupLock, func(context.Context) error { return nil })
					if ran || err != nil {
						t.Errorf("beside another: %v %v", ran, err)
					}
					if took := time.Since(began); took > testkit.Bound(2*time.Second) {
						t.Errorf("it took %v", took)
					}
				}
				return nil
			})
			if !ran || err != nil {
				t.Errorf("alone: %v %v", ran, err)
			}
			if ran, err := stores[1].Alone(t.Context(), library.BackupLock, func(context.Context) error { return nil }); !ran || err != nil {
				t.Errorf("afterwards: %v %v", ran, err)
			}
		})
	}
}

// TestALockLetsOldRowsGo: who has a lock works for minutes. If its transaction kept a snapshot, all that others replace
// meanwhile would stay in tables and indexes, and each of ten thousand mails would take longer than the one before.
func TestALockLetsOldRowsGo(t *testing.T) {
	t.Parallel()
	address := databases["postgres"](t)
	store, db := open(t, address), openSQL(t, address)
	ran, err := store.Alone(t.Context(), library.MailLock, func(ctx context.Context) error {
		var all, withSnapshot int
		err := db.QueryRowContext(ctx, `SELECT count(*), count(backend_xmin) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'idle in transaction'`).Scan(&all, &withSnapshot)
		if all != 1 || withSnapshot != 0 {
			t.Errorf("%d transactions are open, of which %d keep a snapshot", all, withSnapshot)
		}
		return err
	})
	if !ran || err != nil {
		t.Errorf("alone: %v %v", ran, err)
	}
}
