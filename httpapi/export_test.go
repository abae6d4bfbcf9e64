package httpapi

import (
	"context"
	"time"

	"example.org/library"
	"example.org/library/httpapi/internal/responsecache"
	"example.org/library/internal/loadshed"
)

// RouteInfo is a line of the table of routes.
type RouteInfo struct {
	Method, Pattern string
	Permission      library.Permission
}

// Routes is the table of routes.
func Routes() []RouteInfo {
	var out []RouteInfo
	for _, r := range new(Server).routes() {
		out = append(out, RouteInfo{Method: r.method, Pattern: r.pattern, Permission: r.permission})
	}
	return out
}

// MaxCached is the size from which on a list is sent while it is read.
const MaxCached = responsecache.MaxBody

// LimitStreams changes how many event streams there may be.
func (s *Server) LimitStreams(all, own int) { s.streams.Most, s.streams.MostOwn = all, own }

// MaxAge changes how long an answer may take.
func (s *Server) MaxAge(d time.Duration) { s.maxAge = d }

// KeepAlive changes how long a stream may be silent.
func (s *Server) KeepAlive(d time.Duration) { s.streams.KeepAlive = d }

// HasFeed reports whether the changes are being read.
func (s *Server) HasFeed() bool { return s.streams.IsReading() }

// FillPlaces takes all places, so that requests have to wait for a millisecond and
// are refused, until they are given back.
func (s *Server) FillPlaces() (giveBack func()) {
	limits := loadshed.Limits{Places: 1, Queue: 1, QueueTimeout: time.Millisecond, Begun: time.Millisecond}
	s.reads, s.writes = newLimiter("reads", limits, s.metrics), newLimiter("writes", limits, s.metrics)
	for _, l := range []*loadshed.Limiter{s.reads, s.writes} {
		if err := l.Enter(context.Background(), false, time.Hour); err != nil {
			panic(err)
		}
	}
	return func() {
		s.reads.Leave()
		s.writes.Leave()
	}
}

// FillPublicPlaces does the same with the places of strangers.
func (s *Server) FillPublicPlaces() (giveBack func()) {
	limits := loadshed.Limits{Places: 1, Queue: 1, QueueTimeout: time.Millisecond, Begun: time.Millisecond}
	s.public.reads = newLimiter("public", limits, s.metrics)
	if err := s.public.reads.Enter(context.Background(), false, time.Hour); err != nil {
		panic(err)
	}
	return s.public.reads.Leave
}

// PublicPlaces is how many reads at once are for strangers.
func (s *Server) PublicPlaces() int { return s.public.places }

// RateLimit is a limit of requests a second, as strangers have one.
func RateLimit(perSecond int) func(now time.Time) bool { return newRateLimit(perSecond).allow }

// FillWritePlaces does the same with the places of changes alone.
func (s *Server) FillWritePlaces() (giveBack func()) {
	limits := loadshed.Limits{Places: 1, Queue: 1, QueueTimeout: time.Millisecond, Begun: time.Millisecond}
	s.writes = newLimiter("writes", limits, s.metrics)
	if err := s.writes.Enter(context.Background(), false, time.Hour); err != nil {
		panic(err)
	}
	return s.writes.Leave
}

// LeaveOneWritePlace leaves one place for changes, for which everybody waits patiently.
func (s *Server) LeaveOneWritePlace(queueTimeout time.Duration) {
	limits := loadshed.Limits{Places: 1, Queue: 1000, QueueTimeout: queueTimeout, Begun: queueTimeout}
	s.writes = newLimiter("writes", limits, s.metrics)
}

// TakeWritePlace takes a place for changes.
func (s *Server) TakeWritePlace() (giveBack func()) {
	if err := s.writes.Enter(context.Background(), false, time.Hour); err != nil {
		panic(err)
	}
	return s.writes.Leave
}

// Placed is how many requests are being worked on.
func (s *Server) Placed() int { return s.reads.Taken() + s.writes.Taken() }

// FillDecodings takes all places for decoding covers, until they are given back.
func (s *Server) FillDecodings() (giveBack func()) {
	if err := s.covers.decode.Acquire(context.Background(), decodings); err != nil {
		panic(err)
	}
	return func() { s.covers.decode.Release(decodings) }
}
