package httpapi

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/loadshed"
)

// Reads and changes do not wait for each other. More places for reads would make
// no database faster, and more than it has connections are of no use; changes wait for
// the disk most of the time, and those that wait at the same time are committed together.
const (
	readPlaces  = 16
	writePlaces = 64
)

func newLimiter(kind string, limits loadshed.Limits, m *Metrics) *loadshed.Limiter {
	labels := prometheus.Labels{"kind": kind}
	return loadshed.New(limits, loadshed.Metrics{InFlight: m.inFlight.With(labels), Queued: m.queued.With(labels), Shed: m.overloaded.With(labels)})
}

// newReadLimits divides the places of those who read among callers with credentials and,
// where the catalogue is public, strangers.
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
// token is checked, its caller looked up or its body read. So a request for which there
// is no place costs next to nothing. Without one goes on what needs none, what shows no
// credentials and is refused for that, and what is likely to be in the response cache.
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
		x.route = found // which the report names, as it does for those that got further
		return err
	}
	return nil
}

// enter takes a place for the request, unless it has one or needs none.
func (x *exchange) enter() error {
	if x.place != nil || x.limiter == nil {
		return nil
	}
	l := x.limiter
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

// placeToWrite takes a place among the changes for what is written before the caller is
// let in, also by a request that only reads: all of a school may come for the first time at
// once. The place of the request is given back meanwhile.
func (x *exchange) placeToWrite(ctx context.Context) (giveBack func(), err error) {
	l := x.server.writes
	if x.place == l {
		return func() {}, nil
	}
	x.leave()
	if err := l.Enter(ctx, x.begun); errors.Is(err, loadshed.ErrOverloaded) {
		return nil, library.ErrOverloaded
	} else if err != nil {
		return nil, err
	}
	return l.Leave, nil
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
