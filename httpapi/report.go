package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// Event is what is told of a request. It holds neither token nor e-mail address
// nor anything else that a stranger could have put into a path, a query or a
// header: the caller is an identifier, the path its route, and an invented
// method is just "other".
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

// RequestEvent is the message of an event in the log.
const RequestEvent = "request"

// report tells of a request once, and counts it.
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
	s.tell(&x.event)
}

// logEvents tells of requests through a logger.
func logEvents(log *slog.Logger) func(*Event) {
	return func(e *Event) {
		log.LogAttrs(context.Background(), slog.LevelInfo, RequestEvent,
			slog.String("requestId", e.RequestID),
			slog.String("method", e.Method),
			slog.String("route", e.Route),
			slog.Int("status", e.Status),
			slog.Duration("took", e.Took),
			slog.Int("bytes", e.Bytes),
			slog.String("user", e.User),
			slog.String("code", e.Code),
			slog.String("remote", e.Remote),
		)
	}
}

// KnownMethod is the method, or "other" for one that a stranger invented: it is
// to be counted, not repeated.
func KnownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		http.MethodOptions, http.MethodPatch, http.MethodTrace, http.MethodConnect:
		return method
	}
	return "other"
}
