package sqlstore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"

	"example.org/library"
	"example.org/library/storetest/bookgen"
)

// TestTransactionsThatAreCommittedTogetherStandAlone mixes transactions that
// succeed, fail, panic and are given up in the middle. A gate holds the first
// one until all others are in the queue, so that they do form a batch.
func TestTransactionsThatAreCommittedTogetherStandAlone(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	const n = 40
	books := slices.Collect(bookgen.Books(n))
	refused := errors.New("refused")
	gate, entered := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		store.Tx(t.Context(), func(library.Tx) error { close(entered); <-gate; return nil })
	})
	<-entered

	outcomes := make([]error, n)
	for i := range n {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			defer func() {
				if p := recover(); p != nil {
					outcomes[i] = fmt.Errorf("panic: %v", p)
				}
			}()
			outcomes[i] = store.Tx(ctx, func(tx library.Tx) error {
				if err := tx.AddBook(ctx, books[i]); err != nil {
					return err
				}
				switch i % 4 {
				case 1:
					return refused
				case 2:
					panic(i)
				case 3:
					cancel() // this caller has gone; the others must not notice
				}
				return nil
			})
		})
	}
	close(gate)
	wg.Wait()

	for i, err := range outcomes {
		_, missing := store.Book(t.Context(), books[i].ID, "")
		switch i % 4 {
		case 0:
			if err != nil || missing != nil {
				t.Errorf("transaction %d: %v, its book: %v", i, err, missing)
			}
		case 1:
			if !errors.Is(err, refused) || !errors.Is(missing, library.ErrBookNotFound) {
				t.Errorf("transaction %d was refused: %v, its book: %v", i, err, missing)
			}
		case 2:
			if err == nil || err.Error() != fmt.Sprintf("panic: %d", i) || !errors.Is(missing, library.ErrBookNotFound) {
				t.Errorf("transaction %d panicked: %v, its book: %v", i, err, missing)
			}
		case 3:
			if (err == nil) != (missing == nil) {
				t.Errorf("transaction %d was given up: %v, but its book: %v", i, err, missing)
			}
		}
	}
}

// TestARefusalDoesNotRunTheOthersAgain: what is refused before it has written anything
// leaves nothing to undo.
func TestARefusalDoesNotRunTheOthersAgain(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	const n = 20
	books := slices.Collect(bookgen.Books(n))
	gate, entered := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		store.Tx(t.Context(), func(library.Tx) error { close(entered); <-gate; return nil })
	})
	<-entered
	runs, outcomes := make([]int, n), make([]error, n)
	for i := range n {
		wg.Go(func() {
			outcomes[i] = store.Tx(t.Context(), func(tx library.Tx) error {
				runs[i]++
				if i%2 == 1 {
					return library.ErrBookBorrowed
				}
				return tx.AddBook(t.Context(), books[i])
			})
		})
	}
	close(gate)
	wg.Wait()
	for i, err := range outcomes {
		if runs[i] != 1 || (err != nil) != (i%2 == 1) {
			t.Errorf("transaction %d ran %d times: %v", i, runs[i], err)
		}
	}
}

func TestATransactionThatEndsItsGoroutineStopsNobody(t *testing.T) {
	t.Parallel()
	store := open(t, databases["sqlite"](t))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := store.Tx(t.Context(), func(library.Tx) error { runtime.Goexit(); return nil }); err == nil {
			t.Error("it is taken for a success")
		}
	}()
	<-ended
	book := slices.Collect(bookgen.Books(1))[0]
	if err := store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), book) }); err != nil {
		t.Errorf("the next one: %v", err)
	}
}
