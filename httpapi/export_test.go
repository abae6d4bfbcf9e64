package httpapi

import (
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
