package httpapi

import (
	"context"
	"time"

	"example.org/library"
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

// MaxKept is the size from which on a list is sent while it is read.
const MaxKept = maxKept

// LimitStreams changes how many event streams there may be.
func (s *Server) LimitStreams(all, own int) { s.streams.most, s.streams.mostOwn = all, own }

// MaxAge changes how long an answer may take.
func (s *Server) MaxAge(d time.Duration) { s.maxAge = d }

// KeepAlive changes how long a stream may be silent.
func (s *Server) KeepAlive(d time.Duration) { s.streams.keepAlive = d }

// HasFeed reports whether the changes are being read.
func (s *Server) HasFeed() bool {
	s.streams.mu.Lock()
	defer s.streams.mu.Unlock()
	return s.streams.feed != nil
}

// FillPlaces takes all places, so that requests have to wait for a millisecond and
// are refused, until they are given back.
func (s *Server) FillPlaces() (giveBack func()) {
	for _, a := range []*admission{s.reads, s.writes} {
		a.limits.burst, a.limits.rush = time.Millisecond, time.Millisecond
		for range a.limits.places {
			if err := a.enter(context.Background(), false); err != nil {
				panic(err)
			}
		}
	}
	return func() {
		for _, a := range []*admission{s.reads, s.writes} {
			for range a.limits.places {
				a.leave()
			}
		}
	}
}

// Placed is how many requests are being worked for.
func (s *Server) Placed() int {
	n := 0
	for _, a := range []*admission{s.reads, s.writes} {
		a.mu.Lock()
		n += a.limits.places - a.free
		a.mu.Unlock()
	}
	return n
}
