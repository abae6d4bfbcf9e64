// Package loadshed is load shedding (admission control): it bounds how many
// requests are worked on at once. The others wait for a short time and are then
// refused, because a server that accepts everything works for callers who have
// given up, and in the end for nobody. Start reading at [Limiter].
package loadshed

import (
	linked "container/list"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ErrOverloaded means that a request was shed: there was no place for it in time.
var ErrOverloaded = errors.New("loadshed: too many requests")

// Limiter gives places to requests. A request has a place from the moment at which
// the work begins until its answer is ready. It has none while it waits for its
// caller to send the body or to read the answer.
//
// A burst is not overload: the queue gets shorter, and requests are served in the
// order in which they came. If the queue does not get shorter, more requests come
// than can be served. Then nobody may wait for long, and the newest request is
// served first: some must be refused in any case, and this way the others are
// answered at once instead of all of them late. Requests that had a place before
// always go first: what was begun is of no use before it is finished.
type Limiter struct {
	metrics Metrics

	mu         sync.Mutex
	limits     Limits
	taken      int          // places
	begun      *linked.List // of *waiter: requests that had a place before
	queue      *linked.List // of *waiter, in the order in which they came
	looked     time.Time    // when the length of the queue was last looked at
	length     int          // of the queue then; 0 when it has only begun
	overloaded bool         // it did not get shorter, and has not been empty since then
}

// waiter is a request in the queue.
type waiter struct {
	came    time.Time
	decided chan bool // gets one value: whether there is a place
}

// Limits are the bounds of a Limiter.
type Limits struct {
	Places     int           // for requests that are being worked on
	Queue      int           // requests that wait
	Look       time.Duration // how often to look whether the queue has got shorter
	Burst      time.Duration // how long a request may wait if it has
	Overloaded time.Duration // and how long if it has not
	Begun      time.Duration // how long a request may wait that had a place before
}

// Metrics are what a Limiter reports.
type Metrics struct {
	InFlight prometheus.Gauge   // requests with a place
	Queued   prometheus.Gauge   // requests that wait
	Shed     prometheus.Counter // requests that were refused
}

// New returns a Limiter whose places are free.
func New(limits Limits, metrics Metrics) *Limiter {
	return &Limiter{limits: limits, metrics: metrics, begun: linked.New(), queue: linked.New()}
}

// Limit changes the limits. It is for the beginning, before anybody waits.
func (l *Limiter) Limit(change func(*Limits)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(&l.limits)
}

// Taken is how many places are taken.
func (l *Limiter) Taken() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken
}

// Enter takes a place, for the first time or again. Each success needs one Leave.
// The error is ErrOverloaded, or that of the context.
func (l *Limiter) Enter(ctx context.Context, again bool) error {
	l.mu.Lock()
	if l.taken < l.limits.Places {
		l.taken++
		l.mu.Unlock()
		l.metrics.InFlight.Inc()
		return nil
	}
	queue, timeout := l.queue, l.limits.Begun
	if again {
		queue = l.begun
	} else {
		timeout = l.timeout(time.Now())
	}
	admitted := false
	if queue.Len() < l.limits.Queue {
		place := queue.PushBack(&waiter{came: time.Now(), decided: make(chan bool, 1)})
		l.mu.Unlock()
		admitted = l.await(ctx, queue, place, timeout)
	} else {
		l.mu.Unlock()
	}
	switch {
	case admitted:
		l.metrics.InFlight.Inc()
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	l.metrics.Shed.Inc()
	return ErrOverloaded
}

// timeout is how long a request may wait that comes now.
func (l *Limiter) timeout(now time.Time) time.Duration {
	if l.queue.Len() == 0 {
		l.looked, l.length, l.overloaded = now, 0, false
	}
	if l.isOverloaded(now) {
		return l.limits.Overloaded
	}
	return l.limits.Burst
}

// isOverloaded reports whether more requests come than can be served.
func (l *Limiter) isOverloaded(now time.Time) bool {
	waiting := l.queue.Len()
	if waiting > 0 && now.Sub(l.looked) > l.limits.Look {
		l.overloaded = l.overloaded || l.length > 0 && waiting >= l.length
		l.looked, l.length = now, waiting
	}
	return l.overloaded && waiting > 0
}

// await reports whether a waiter was given a place.
func (l *Limiter) await(ctx context.Context, queue *linked.List, place *linked.Element, timeout time.Duration) bool {
	l.metrics.Queued.Inc()
	defer l.metrics.Queued.Dec()
	w := place.Value.(*waiter)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case admitted := <-w.decided:
		return admitted
	case <-timer.C:
	case <-ctx.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case admitted := <-w.decided: // meanwhile
		return admitted
	default:
		queue.Remove(place)
		return false
	}
}

// Leave passes a place on to the next request, or frees it.
func (l *Limiter) Leave() {
	l.metrics.InFlight.Dec()
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	overloaded := l.isOverloaded(now)
	for overloaded { // requests that came before the overload may wait no longer, either
		first := l.queue.Front()
		if first == nil || now.Sub(first.Value.(*waiter).came) <= l.limits.Overloaded {
			break
		}
		l.decide(l.queue, first, false)
	}
	switch {
	case l.begun.Len() > 0:
		l.decide(l.begun, l.begun.Front(), true)
	case l.queue.Len() == 0:
		l.taken--
	case overloaded:
		l.decide(l.queue, l.queue.Back(), true)
	default:
		l.decide(l.queue, l.queue.Front(), true)
	}
}

func (l *Limiter) decide(queue *linked.List, place *linked.Element, admitted bool) {
	queue.Remove(place)
	place.Value.(*waiter).decided <- admitted
}
