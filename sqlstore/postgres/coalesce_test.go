package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Callers who ask while a query is under way share the next one, and none gets an
// answer to a query that was sent before.
func TestQueriesAreCoalescedButNeverOld(t *testing.T) {
	t.Parallel()
	var state, queries atomic.Int64
	lookups := coalescing[int64]{ask: func(context.Context) (int64, error) {
		queries.Add(1)
		seen := state.Load()
		time.Sleep(time.Millisecond)
		return seen, nil
	}}
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 20 {
				before := state.Add(1)
				if at, err := lookups.do(t.Context()); err != nil || at < before {
					t.Errorf("asked at %d, answered %d, error %v", before, at, err)
				}
			}
		})
	}
	wg.Wait()
	if n := queries.Load(); n > 500 {
		t.Errorf("%d queries for 1,000 callers", n)
	}
}

func TestALookupThatHangsKeepsNobodyElseWaiting(t *testing.T) {
	t.Parallel()
	var first atomic.Bool
	hangs, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	lookups := coalescing[string]{ask: func(context.Context) (string, error) {
		if first.CompareAndSwap(false, true) {
			close(hangs)
			<-end
		}
		return "answered", nil
	}}
	gone, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() { _, err := lookups.do(gone); failed <- err }()
	<-hangs
	for range 3 {
		if at, err := lookups.do(t.Context()); err != nil || at != "answered" {
			t.Errorf("%v, error %v", at, err)
		}
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who has gone away gets %v", err)
	}
}
