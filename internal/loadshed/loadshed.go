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
// Requests are served in the order in which they came. A few may wait for as long as
// callers are patient: who waits for a second is better off than who is refused. So may
// a burst, which is a queue that gets shorter. But if a crowd waits, the queue does not
// get shorter, and who is next has waited for long, then more requests come than can be
// served. Then nobody may wait for long, and the newest request is
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
	length     int          // of the queue then; 0 if that was no crowd
	overloaded bool         // more come than can be served, and a crowd has waited since then
}

// waiter is a request in the queue.
type waiter struct {
	came    time.Time
	decided chan bool // gets one value: whether there is a place
}

// Limits are the bounds of a Limiter.
type Limits struct {
	Places       int           // for requests that are being worked on
	Queue        int           // requests that wait
	Crowd        int           // how many may wait without being a crowd
	QueueTimeout time.Duration // how long a request may wait
	Look         time.Duration // how often to look whether the queue has got shorter
	Long         time.Duration // how long a crowd waits at least when it means overload
	Overloaded   time.Duration // how long a request may wait then
	Begun        time.Duration // how long a request may wait that had a place before
}

// UsualLimits are good for callers who want an answer within a second. What few wait
// for is soon there: a place for each becomes free within a few times what a request takes.
func UsualLimits(places int) Limits {
	return Limits{
		Places: places, Queue: 1024, Crowd: max(16, 4*places), QueueTimeout: 3 * time.Second,
		Look: 250 * time.Millisecond, Long: 500 * time.Millisecond, Overloaded: 250 * time.Millisecond,
		Begun: 10 * time.Second,
	}
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
	queue, timeout := l.begun, l.limits.Begun
	if !again {
		queue, timeout = l.queue, l.limits.QueueTimeout
		l.judge(time.Now())
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

// judge reports whether more requests come than can be served, and refuses those that
// have waited for too long then.
func (l *Limiter) judge(now time.Time) (overloaded bool) {
	waiting := l.queue.Len()
	if waiting <= l.limits.Crowd {
		l.looked, l.length, l.overloaded = now, 0, false
		return false
	}
	waited := func() time.Duration { return now.Sub(l.queue.Front().Value.(*waiter).came) }
	if now.Sub(l.looked) > l.limits.Look {
		isShorter := l.length == 0 || waiting < l.length
		l.overloaded = l.overloaded || !isShorter && waited() > l.limits.Long
		l.looked, l.length = now, waiting
	}
	for l.overloaded && l.queue.Len() > 0 && waited() > l.limits.Overloaded {
		l.decide(l.queue, l.queue.Front(), false)
	}
	return l.overloaded
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
	overloaded := l.judge(time.Now())
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
