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
