package sqlstore

import (
	"cmp"
	"context"
	"runtime"
	"sync"
	"time"
)

// shared lets many callers share one question to the database. A caller gets the
// answer to a question that was asked after the call, never to one that was under
// way already: those who come while one is under way wait together for the next.
type shared[Q, A any] struct {
	// ask asks for all that the callers of a question want to know.
	ask func(context.Context, []Q) (A, error)
	// patience is how long a question keeps the next one back; sharedPatience if
	// it is not set.
	patience time.Duration

	mu      sync.Mutex
	next    *question[Q, A] // is not asked yet; nil if nobody waits
	current *question[Q, A] // is under way, and the next one waits for it; nil if none is
}

// question is asked once, for several callers.
type question[Q, A any] struct {
	wanted []Q
	begun  bool // it waits for no other question
	asked  time.Time
	done   chan struct{} // closed when the rest is set
	answer A
	err    error
	panic  any // of ask, for its callers
}

const (
	// sharedPatience is many times what most questions take, unless the connection
	// hangs or the machine has too much to do.
	sharedPatience = 5 * time.Millisecond
	// maxShared bounds what a question asks for. Whoever would make it longer asks
	// alone.
	maxShared = 256
)

// do returns the answer to a question that is asked after the call, and the place
// in it of what the caller wants to know.
func (s *shared[Q, A]) do(ctx context.Context, wanted ...Q) (answer A, at int, err error) {
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

// join finds the question to wait for.
func (s *shared[Q, A]) join(wanted []Q) (q *question[Q, A], at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.next; q != nil && len(q.wanted)+len(wanted) <= maxShared {
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
		time.AfterFunc(cmp.Or(s.patience, sharedPatience)-time.Since(s.current.asked), func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.begin(q)
		})
	}
	s.next = q
	return q, 0
}

// begin has a question asked, unless that was done before. Those who are about to
// ask, and only wait for a processor, come first and share it.
func (s *shared[Q, A]) begin(q *question[Q, A]) {
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

func (s *shared[Q, A]) run(q *question[Q, A]) {
	defer close(q.done)
	defer func() { q.panic = recover() }()
	q.answer, q.err = s.ask(context.Background(), q.wanted) // it belongs to no caller, and is as patient as any statement
}

// finish lets the next question be asked, if it waits for this one.
func (s *shared[Q, A]) finish(q *question[Q, A]) {
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
