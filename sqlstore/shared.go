package sqlstore

import (
	"context"
	"sync"
	"time"

	"example.org/library"
)

// lookups lets many callers share one question to the database. A caller gets the
// answer to a question that was asked after the call, never to one that was under
// way already: those who come while one is under way wait together for the next.
type lookups struct {
	ask func(context.Context) (library.Revision, error)

	mu      sync.Mutex
	current *lookup // is under way, and the next one waits for it; nil if none is
	next    *lookup // is not asked yet; nil if nobody waits
}

// lookup is one question.
type lookup struct {
	asked    time.Time
	timer    *time.Timer // lets it be asked although the one before has no answer
	done     chan struct{}
	revision library.Revision
	err      error
}

// lookupPatience is how long a question keeps the next one back: many times what
// it takes, unless its connection hangs or the machine has too much to do.
const lookupPatience = 5 * time.Millisecond

// do returns the answer to a question that is asked after the call.
func (l *lookups) do(ctx context.Context) (library.Revision, error) {
	q := l.join()
	select {
	case <-q.done:
		return q.revision, q.err
	case <-ctx.Done():
		return library.Revision{}, ctx.Err()
	}
}

// join finds the question to wait for.
func (l *lookups) join() *lookup {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next != nil {
		return l.next
	}
	q := &lookup{done: make(chan struct{})}
	if l.current == nil {
		l.start(q)
		return q
	}
	l.next = q
	q.timer = time.AfterFunc(lookupPatience-time.Since(l.current.asked), func() { l.startNext(q) })
	return q
}

// startNext asks a question, if it still waits for the one before.
func (l *lookups) startNext(q *lookup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == q {
		l.next = nil
		l.start(q)
	}
}

func (l *lookups) start(q *lookup) {
	l.current, q.asked = q, time.Now()
	go func() {
		q.revision, q.err = l.ask(context.Background()) // it belongs to no caller, and is as patient as any statement
		close(q.done)
		l.finish(q)
	}()
}

// finish lets the next question be asked, if it waits for this one.
func (l *lookups) finish(q *lookup) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.current != q {
		return
	}
	l.current = nil
	if next := l.next; next != nil {
		next.timer.Stop()
		l.next = nil
		l.start(next)
	}
}
