// Package loadshed is load shedding (admission control): it bounds how many requests are worked on at once. The others
// wait for a short time in a bounded queue and are then refused: a server without a bound works for callers after they
// have given up, and in the end for nobody. Start reading at [Limiter].
package loadshed

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"
)

// ErrOverloaded is returned for a request without a place in time.
var ErrOverloaded = errors.New("loadshed: too many requests")

// Limiter gives places to requests in the order of their arrival. A request has a place from the beginning of the work
// until its answer is ready. It has none while it waits for its caller to send the body or to read the answer.
type Limiter struct {
	limits  Limits
	metrics Metrics
	places  *semaphore.Weighted
	taken   atomic.Int64
	queued  atomic.Int64 // requests before their first place
}

// Limits are the bounds of a Limiter.
type Limits struct {
	Places       int           // for requests in work
	Queue        int           // requests that wait for their first place
	QueueTimeout time.Duration // for the first place
	Begun        time.Duration // for another place: unfinished work is of no use, so its queue has no bound
}

// UsualLimits returns the limits for callers with a patience of three seconds: after the longest wait one of them is
// left for the database. The queue is so short because most callers are then answered within a second under any load.
func UsualLimits(places int) Limits {
	return Limits{Places: places, Queue: max(64, 8*places), QueueTimeout: 2 * time.Second, Begun: 10 * time.Second}
}

// Metrics are the figures of a Limiter.
type Metrics struct {
	InFlight prometheus.Gauge   // requests with a place
	Queued   prometheus.Gauge   // requests in the queue
	Shed     prometheus.Counter // refused requests
}

// New returns a Limiter with free places.
func New(limits Limits, metrics Metrics) *Limiter {
	return &Limiter{limits: limits, metrics: metrics, places: semaphore.NewWeighted(int64(limits.Places))}
}

// Taken returns how many places are taken.
func (l *Limiter) Taken() int { return int(l.taken.Load()) }

// Enter takes a place, for the first time or again, and waits for it for at most some
// time. Each success needs one Leave. The error is ErrOverloaded, or the error of the context.
func (l *Limiter) Enter(ctx context.Context, again bool, most time.Duration) error {
	if !l.places.TryAcquire(1) {
		if err := l.wait(ctx, again, most); err != nil {
			return err
		}
	}
	l.taken.Add(1)
	l.metrics.InFlight.Inc()
	return nil
}

func (l *Limiter) wait(ctx context.Context, again bool, most time.Duration) error {
	timeout := l.limits.Begun
	if !again {
		timeout = l.limits.QueueTimeout
		defer l.queued.Add(-1)
		if l.queued.Add(1) > int64(l.limits.Queue) {
			l.metrics.Shed.Inc()
			return ErrOverloaded
		}
	}
	l.metrics.Queued.Inc()
	defer l.metrics.Queued.Dec()
	waiting, cancel := context.WithTimeout(ctx, min(timeout, most))
	defer cancel()
	switch {
	case l.places.Acquire(waiting, 1) == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	l.metrics.Shed.Inc()
	return ErrOverloaded
}

// Leave passes a place on to the next request, or frees it.
func (l *Limiter) Leave() {
	l.metrics.InFlight.Dec()
	l.taken.Add(-1)
	l.places.Release(1)
}
