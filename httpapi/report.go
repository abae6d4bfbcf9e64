package httpapi

import (
	"net/http"
	"time"
)

// Event describes a request for the log. It holds no untrusted input: neither
// token nor e-mail address nor anything from a path, a query or a header. The
// caller is an identifier, the path its route, and an unknown method "other".
type Event struct {
	Time      time.Time // of the answer
	RequestID string
	Method    string
	Route     string // "" if the request was refused before routing
	Status    int
	Took      time.Duration
	Bytes     int    // of the body
	User      string // identifier, "" if nobody was authenticated
	Code      string // of the error body, "" if there was none
	Remote    string
	Stream    bool // the answer took as long as the caller liked
}

// report counts a request and passes on its event, once.
func (s *Server) report(x *exchange) {
	now := s.now()
	x.event = Event{
		Time:      now,
		RequestID: x.id,
		Method:    KnownMethod(x.r.Method),
		Route:     x.pattern(),
		Status:    x.status,
		Took:      now.Sub(x.began),
		Bytes:     x.bytes,
		User:      x.actor.User.ID,
		Code:      x.code,
		Remote:    x.r.RemoteAddr,
		Stream:    x.endless,
	}
	s.metrics.answered(&x.event)
	s.events(&x.event)
}

// KnownMethod returns the method, or "other" for one unknown to HTTP, so that
// untrusted input reaches neither log nor metrics.
func KnownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		http.MethodOptions, http.MethodPatch, http.MethodTrace, http.MethodConnect:
		return method
	}
	return "other"
}
