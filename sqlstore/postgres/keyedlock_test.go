package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// inLine returns how many wait for a key with two places, both taken.
func (t *keyedLocks) inLine(name string) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.lines[name].users - 2
}

// TestKeysAreGivenInOrder lets some wait, one of whom leaves.
func TestKeysAreGivenInOrder(t *testing.T) {
	t.Parallel()
	var all keyedLocks
	for range 2 {
		testkit.NoError(t, all.lock(t.Context(), lockKey{"book", 2}))
	}
	if err := all.lock(t.Context(), lockKey{"another book", 2}); err != nil {
		t.Fatalf("another book: %v", err)
	}
	var waiting sync.WaitGroup
	served := make(chan int, 5)
	impatient, leave := context.WithCancel(t.Context())
	for i := range 5 {
		ctx := t.Context()
		if i == 2 {
			ctx = impatient
		}
		waiting.Go(func() {
			err := all.lock(ctx, lockKey{"book", 2})
			if i == 2 {
				if !errors.Is(err, context.Canceled) {
					t.Errorf("the one who left: %v", err)
				}
				return
			}
			served <- i
		})
		testkit.Eventually(t, "the next is in line", func() bool { return all.inLine("book") == i+1 })
	}
	leave()
	testkit.Eventually(t, "the line is shorter", func() bool { return all.inLine("book") == 4 })
	for _, want := range []int{0, 1, 3, 4} {
		all.unlock("book")
		if got := <-served; got != want {
			t.Errorf("it was the turn of %d, want %d", got, want)
		}
	}
	waiting.Wait()
	for range 2 {
		all.unlock("book")
	}
	all.unlock("another book")
	if len(all.lines) != 0 {
		t.Errorf("%d lines are left although nobody is in them", len(all.lines))
	}
}

// TestALineIsBounded: a caller who comes when it is full is refused at once.
func TestALineIsBounded(t *testing.T) {
	t.Parallel()
	all := keyedLocks{lines: map[string]*line{"book": {users: 1 + maxInLine}}}
	if err := all.lock(t.Context(), lockKey{"book", 1}); !errors.Is(err, library.ErrUnavailable) {
		t.Errorf("got error %v", err)
	}
}
