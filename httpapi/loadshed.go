package httpapi

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/loadshed"
)

// Reads and changes do not wait for each other. More places for reads would make
// no database faster, and more than it has connections are of no use; changes wait for
// the disk most of the time, and concurrent ones are committed together.
const (
	readPlaces  = 16
	writePlaces = 64
)

func newLimiter(kind string, limits loadshed.Limits, m *Metrics) *loadshed.Limiter {
	labels := prometheus.Labels{"kind": kind}
	return loadshed.New(limits, loadshed.Metrics{InFlight: m.inFlight.With(labels), Queued: m.queued.With(labels), Shed: m.overloaded.With(labels)})
}

// newReadLimits divides the places for reads among callers with credentials and, where the
// catalogue is public, strangers.
func newReadLimits(cfg Config) (reads *loadshed.Limiter, strangers *public) {
	places := readPlaces
	if cfg.MaxReads > 0 {
		places = min(places, cfg.MaxReads)
	}
	strangers = newPublic(cfg, places)
	if strangers != nil {
		places = max(places-strangers.places, 2)
	}
	return newLimiter("reads", loadshed.UsualLimits(places), cfg.Metrics), strangers
}

// admit takes a place for a request before anything else is done for it: before its
// token is checked, its caller looked up or its body read. So a request without
// a place costs next to nothing. Three kinds go on without one: routes with no need of it,
// requests without credentials, to be refused for that, and likely hits of the response
// cache.
func (x *exchange) admit(found *route) error {
	switch {
	case found == nil || found.work == bounded:
		return nil
	case found.changes():
		x.limiter = x.server.writes
	default:
		x.limiter = x.server.reads
	}
	if x.r.Header["Authorization"] == nil || found.work == readsUncached && x.server.cache.Has(x.server.service.Now(), x.r.RequestURI) {
		return nil
	}
	if err := x.enter(); err != nil {
		x.route = found // for the report, as for other requests
		return err
	}
	return nil
}

// enter takes a place for the request, unless it has one or needs none.
func (x *exchange) enter() error {
	if x.place != nil || x.limiter == nil {
		return nil
	}
	if err := x.waitFor(x.limiter); err != nil {
		return err
	}
	x.place, x.begun = x.limiter, true
	return nil
}

// A request waits for some time in all: for a place, for a place again, and for the database.
// Waits for the caller's body do not count, and nothing does after the beginning of the
// answer.
const (
	waitLimit = 3 * time.Second
	// minTimeLeft is left in any case. Less would refuse requests with a place at last.
	minTimeLeft = 250 * time.Millisecond
	// longWait is the wait after which the database gets less time.
	longWait = 50 * time.Millisecond
)

// waitBudget counts how long a request has waited for places and for the database.
type waitBudget struct {
	whole     time.Duration // 0 before the first wait
	spent     time.Duration
	shortened bool // the store knows of the time left
}

// waitFor waits for a place.
func (x *exchange) waitFor(l *loadshed.Limiter) error {
	began, most := time.Now(), x.timeLeft()
	if x.status != 0 {
		most = maxAnswerAge // the limiter says how long
	}
	err := l.Enter(x.r.Context(), x.begun, most)
	x.spend(time.Since(began))
	if errors.Is(err, loadshed.ErrOverloaded) {
		return library.ErrOverloaded
	}
	return err
}

// timeLeft returns how much longer the request may wait.
func (x *exchange) timeLeft() time.Duration {
	if x.waiting.whole == 0 {
		x.waiting.whole = cmp.Or(library.StoreTimeout(x.r.Context()), waitLimit)
	}
	if x.status != 0 {
		return x.waiting.whole
	}
	return max(x.waiting.whole-x.waiting.spent, minTimeLeft)
}

// spend notes how long the request has waited. From then on the database has only what is
// left. The request is changed in place: tracing reads the pattern of the same one.
func (x *exchange) spend(d time.Duration) {
	x.waiting.spent += d
	if x.waiting.spent < longWait || x.waiting.shortened {
		return
	}
	x.timeLeft() // sets the whole, before it is asked for elsewhere
	x.waiting.shortened = true
	*x.r = *x.r.WithContext(library.WithStoreTimeoutLeft(x.r.Context(), x.timeLeft))
}

// placeToWrite takes a place among the changes for the record of a first login, also during
// a read: all of a school may come for the first time at
// once. The place of the request is given back meanwhile.
func (x *exchange) placeToWrite() (then context.Context, giveBack func(), err error) {
	l := x.server.writes
	if x.place == l {
		return x.r.Context(), func() {}, nil
	}
	x.leave()
	err = x.waitFor(l)
	return x.r.Context(), l.Leave, err
}

// leave gives the place back, if the request has one.
func (x *exchange) leave() {
	if x.place != nil {
		x.place.Leave()
		x.place = nil
	}
}

// stepAside gives the place back before the work has begun, and is then no better off
// than others who come.
func (x *exchange) stepAside() {
	x.leave()
	x.begun = false
}
