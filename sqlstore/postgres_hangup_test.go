package sqlstore_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
)

// TestCallersWhoHangUpCostFewConnections lets callers go in the middle of
// everything, with neighbours who stay. A statement whose caller has gone keeps its
// connection, which takes longer to make than most statements take.
func TestCallersWhoHangUpCostFewConnections(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	before := b.conns.Load()
	end := time.Now().Add(3 * time.Second)
	var callers sync.WaitGroup
	var gone atomic.Int64
	for i := range 30 {
		callers.Go(func() {
			for time.Now().Before(end) {
				ctx, cancel := context.WithTimeout(t.Context(), rand.N(10*time.Millisecond))
				b.borrow(ctx, b.books[i%len(b.books)].ID)
				b.store.Books(ctx, library.BookQuery{Limit: 20})
				if ctx.Err() != nil {
					gone.Add(1)
				}
				cancel()
			}
		})
	}
	for range 5 {
		callers.Go(func() {
			for time.Now().Before(end) {
				if err := b.read(t.Context()); err != nil {
					t.Errorf("a neighbour: %v", err)
				}
				if _, err := b.store.Books(t.Context(), library.BookQuery{Limit: 20}); err != nil {
					t.Errorf("a neighbour: %v", err)
				}
			}
		})
	}
	callers.Wait()
	n := b.conns.Load() - before
	t.Logf("%d callers have gone; that took %d new connections", gone.Load(), n)
	if n > 50 || gone.Load() == 0 {
		t.Errorf("%d callers have gone, and %d new connections were made", gone.Load(), n)
	}
}

// TestACallerWhoHangsUpIsWaitedForNoLonger cuts the statement in the end.
func TestACallerWhoHangsUpIsWaitedForNoLonger(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	release := b.hold(t, `LOCK TABLE users IN ACCESS EXCLUSIVE MODE`)
	defer release()
	ctx, cancel := context.WithTimeout(library.WithStoreTimeout(t.Context(), time.Minute), 10*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := b.read(ctx); err == nil {
		t.Error("read a locked table")
	}
	if took := time.Since(began); took > soonEnough {
		t.Errorf("that took %v", took)
	}
}
