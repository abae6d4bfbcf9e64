package sqlstore_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/sqlstore"
)

// A statement that is given up ends its connection. The pool must not hand that
// connection to the next caller.
func TestCallersWhoHangUpCostOthersNothing(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	store := open(t, databases["postgres"](t))
	end := time.Now().Add(2 * time.Second)
	var callers sync.WaitGroup
	for range 100 {
		callers.Go(func() {
			for time.Now().Before(end) {
				impatient, cancel := context.WithTimeout(ctx, 500*time.Microsecond+rand.N(20*time.Millisecond))
				store.Books(impatient, library.BookQuery{Limit: 20})
				cancel()
			}
		})
	}
	for range 20 {
		callers.Go(func() {
			for time.Now().Before(end) {
				if _, err := store.Books(ctx, library.BookQuery{Limit: 20}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
}

// TestAStatementForWhichSomebodyWaitsLongMayTakeLong: the bound of a session is for all others, and the server ends
// a statement when its caller does not wait any more.
func TestAStatementForWhichSomebodyWaitsLongMayTakeLong(t *testing.T) {
	t.Parallel()
	store := open(t, databases["postgres"](t))
	const inSeconds = `SELECT CAST(ceil(extract(epoch FROM current_setting('statement_timeout')::interval)) AS text)`
	for _, tt := range []struct {
		waits time.Duration
		want  string
	}{{10 * time.Minute, "600"}, {time.Second, "60"}, {time.Minute, "60"}} {
		if got := sqlstore.LookFor(t, store, tt.waits, inSeconds); got != tt.want {
			t.Errorf("for somebody who waits %v a statement takes %s s at most, want %s", tt.waits, got, tt.want)
		}
	}
}
