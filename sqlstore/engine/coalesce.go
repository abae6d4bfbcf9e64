package engine

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"
)

// Coalescing answers many callers with one query, as a singleflight does, but never
// with an old result. A caller gets the result of a query that began after the call, not
// of one that was under way already: callers who come while one is under way wait
// together for the next.
type Coalescing[Q, A any] struct {
	// Ask sends one query for all that the callers ask for.
	Ask func(context.Context, []Q) (A, error)
	// Hold is how long a query delays the next one; a few milliseconds if it is not
	// set.
	Hold time.Duration

	mu      sync.Mutex
	next    *question[Q, A] // has not begun; nil if nobody waits
	current *question[Q, A] // is under way, and the next one waits for it; nil if none is
}

// question is one query for several callers.
type question[Q, A any] struct {
	wanted []Q
	begun  bool // it waits for no other question
	asked  time.Time
	done   chan struct{} // closed when the rest is set
	answer A
	err    error
	panic  any // of Ask, for its callers
}

const (
	// usualHold is many times what most queries take, unless the connection hangs or the
	// machine is overloaded.
	usualHold = 5 * time.Millisecond
	// maxCoalesced bounds what one query asks for. A caller beyond that has a query of
	// its own.
	maxCoalesced = 256
)

// Do returns the result of a query that begins after the call, and the place in it of
// what the caller asks for.
func (s *Coalescing[Q, A]) Do(ctx context.Context, wanted ...Q) (answer A, at int, err error) {
	q, at := s.join(wanted)
	select {
	case <-q.done:
		if q.panic != nil {
			panic(q.panic)
		}
		return q.answer, at, q.err
	case <-ctx.Done():
		return answer, 0, ctx.Err()
	}
}

// join finds the query to wait for.
func (s *Coalescing[Q, A]) join(wanted []Q) (q *question[Q, A], at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.next; q != nil && len(q.wanted)+len(wanted) <= maxCoalesced {
		q.wanted = append(q.wanted, wanted...)
		return q, len(q.wanted) - len(wanted)
	}
	q = &question[Q, A]{wanted: wanted, done: make(chan struct{})}
	switch {
	case s.next != nil:
		go s.run(q)
		return q, 0
	case s.current == nil:
		s.begin(q)
	default:
		time.AfterFunc(cmp.Or(s.Hold, usualHold)-time.Since(s.current.asked), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.begin(q)
		})
	}
	s.next = q
	return q, 0
}

// begin sends a query, unless that was done before. Goroutines that are about to join,
// and only wait for a processor, run first, so that they share it.
func (s *Coalescing[Q, A]) begin(q *question[Q, A]) {
	if q.begun {
		return
	}
	q.begun = true
	go func() {
		runtime.Gosched()
		s.mu.Lock()
		s.next, s.current, q.asked = nil, q, time.Now()
		s.mu.Unlock()
		s.run(q)
		s.finish(q)
	}()
}

func (s *Coalescing[Q, A]) run(q *question[Q, A]) {
	defer close(q.done)
	defer func() { q.panic = recover() }()
	q.answer, q.err = s.Ask(context.Background(), q.wanted) // it belongs to no caller, and has the timeout of any statement
}

// finish begins the next query, if it waits for this one.
func (s *Coalescing[Q, A]) finish(q *question[Q, A]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != q {
		return
	}
	s.current = nil
	if s.next != nil {
		s.begin(s.next)
	}
}
