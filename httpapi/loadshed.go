package httpapi

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/loadshed"
)

// Reads and changes do not wait for each other. More places for reads would make
// no database faster, and more than it has connections are of no use; changes wait for
// the disk most of the time, and those that wait at the same time are committed together.
var (
	readLimits  = queueLimits(16)
	writeLimits = queueLimits(64)
)

func queueLimits(places int) loadshed.Limits {
	return loadshed.Limits{
		Places: places, Queue: 1024, Look: 500 * time.Millisecond,
		Burst: 3 * time.Second, Overloaded: 250 * time.Millisecond, Begun: recheckTimeout,
	}
}

func newLimiter(kind string, limits loadshed.Limits, m *Metrics) *loadshed.Limiter {
	labels := prometheus.Labels{"kind": kind}
	return loadshed.New(limits, loadshed.Metrics{InFlight: m.inFlight.With(labels), Queued: m.queued.With(labels), Shed: m.overloaded.With(labels)})
}

// enter takes a place for the request, unless it has one or needs none.
func (x *exchange) enter() error {
	if x.place != nil || x.route.work == bounded {
		return nil
	}
	l := x.server.reads
	if x.route.changes() {
		l = x.server.writes
	}
	err := l.Enter(x.r.Context(), x.begun)
	if errors.Is(err, loadshed.ErrOverloaded) {
		return library.ErrOverloaded
	}
	if err != nil {
		return err
	}
	x.place, x.begun = l, true
	return nil
}

// leave gives the place back, if the request has one.
func (x *exchange) leave() {
	if x.place != nil {
		x.place.Leave()
		x.place = nil
	}
}
