package httpapi_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// hurry is a store that notes how long the transaction of a change may take.
type hurry struct {
	library.Store
	mu   sync.Mutex
	left []time.Duration
}

func (h *hurry) over(s library.Store) library.Store { h.Store = s; return h }

func (h *hurry) Tx(ctx context.Context, fn func(library.Tx) error) error {
	h.mu.Lock()
	h.left = append(h.left, library.StoreTimeout(ctx))
	h.mu.Unlock()
	return h.Store.Tx(ctx, fn)
}

func TestWhoHasWaitedForAPlaceWaitsLessForTheDatabase(t *testing.T) {
	t.Parallel()
	var h hurry
	w := newWorld(t, func(s *setup) { s.store = h.over })
	borrow := request{as: bruceWayne, method: http.MethodPost, path: borrowPath}
	w.send(t, borrow).want(t, 200, "")
	w.api().LeaveOneWritePlace(testkit.Timeout(t) / 2)
	giveBack := w.api().TakeWritePlace()
	done := make(chan reply, 1)
	go func() {
		done <- w.send(t, request{as: bruceWayne, method: http.MethodPost, path: "/books/" + cleanCode + "/return"})
	}()
	time.Sleep(500 * time.Millisecond)
	giveBack()
	(<-done).want(t, 200, "")
	whole := library.StoreTimeout(allowTime(t.Context()))
	if last := h.left[len(h.left)-1]; len(h.left) != 2 || h.left[0] != whole || last > whole-400*time.Millisecond || last <= 0 {
		t.Errorf("the transactions had %v", h.left)
	}
}

// TestAllWaitsOfARequestHaveOneEnd lets a request wait for a place and then for a book that
// somebody has locked.
func TestAllWaitsOfARequestHaveOneEnd(t *testing.T) {
	t.Parallel()
	at := addresses["postgres"](t)
	w := newWorldAt(t, at, func(s *setup) { s.hurried = true })
	defer lockBook(t, at, cleanCode)()
	w.api().LeaveOneWritePlace(time.Minute)
	var took time.Duration
	for range 5 { // a busy machine has some tries
		giveBack := w.api().TakeWritePlace()
		began := time.Now()
		time.AfterFunc(2*time.Second, giveBack)
		w.send(t, request{as: bruceWayne, method: http.MethodPost, path: borrowPath}).want(t, 503, "unavailable")
		if took = time.Since(began); took < 4500*time.Millisecond {
			return
		}
	}
	t.Errorf("refused after %s: two seconds for a place, and the rest for the book", took)
}

// lockBook keeps a book locked until it is released, as another program would.
func lockBook(t *testing.T, address, id string) (release func()) {
	t.Helper()
	store, locked, free := openStore(t, address), make(chan struct{}), make(chan struct{})
	var holder sync.WaitGroup
	holder.Go(func() {
		ctx := allowTime(context.Background())
		err := store.Tx(ctx, func(tx library.Tx) error {
			_, _, err := tx.Load(ctx, library.Load{Book: id, Now: time.Now()})
			close(locked)
			<-free
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	testkit.Receive(t, "the lock", locked)
	return func() { close(free); holder.Wait() }
}
