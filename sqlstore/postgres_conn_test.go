package sqlstore_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"example.org/library"
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
