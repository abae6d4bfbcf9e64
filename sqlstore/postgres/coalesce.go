package postgres

import (
	"context"
	"runtime"
	"sync"
	"time"

	"example.org/library"
)

// coalescing answers many callers with one query, as a singleflight does, but never with an old result: a query that
// began before the call does not count. Callers who come while one is under way wait together for the next.
type coalescing[A any] struct {
	ask func(context.Context) (A, error)

	mu      sync.Mutex
	next    *query[A] // has not begun; nil if nobody waits
	running bool
}

// query is one query for several callers.
type query[A any] struct {
	done   chan struct{} // closed when the rest is set
	answer A
	err    error
}

// hold is how long a query delays the next one: many times what most queries take, unless the connection hangs or the
// machine is overloaded.
const hold = 5 * time.Millisecond

// do returns the result of a query that begins after the call.
func (s *coalescing[A]) do(ctx context.Context) (answer A, err error) {
	q := s.join()
	if d := library.StoreTimeout(ctx); d > 0 { // less than the query may take, or more
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	select {
	case <-q.done:
		return q.answer, q.err
	case <-ctx.Done():
		return answer, ctx.Err()
	}
}

// join returns the query to wait for.
func (s *coalescing[A]) join() *query[A] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &query[A]{done: make(chan struct{})}
	}
	if !s.running {
		s.running = true
		go s.run()
	}
	return s.next
}

// run sends queries until nobody waits.
func (s *coalescing[A]) run() {
	for q := s.take(); q != nil; q = s.take() {
		go func() {
			// The query belongs to no caller, and has the timeout of any statement.
			q.answer, q.err = s.ask(context.Background())
			close(q.done)
		}()
		select {
		case <-q.done:
		case <-time.After(hold):
		}
	}
}

// take returns the query to send, nil if nobody waits. Goroutines that are about to join, and only wait for a processor,
// run first, so that they share it.
func (s *coalescing[A]) take() *query[A] {
	runtime.Gosched()
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.next
	s.next, s.running = nil, q != nil
	return q
}
