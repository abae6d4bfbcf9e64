package httpapi

import (
	"context"
	"log/slog"
	"net/http"
)

// report writes the one log event of a request and counts it. The event holds
// neither token nor e-mail address nor anything else that a stranger could
// have put into a path or a query: the caller is an identifier, the path its
// route.
func (s *Server) report(x *exchange) {
	took := s.now().Sub(x.began)
	method := knownMethod(x.r.Method)
	s.metrics.answered(x.pattern(), method, x.status, took)
	if !s.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	s.log.LogAttrs(context.Background(), slog.LevelInfo, RequestEvent,
		slog.String("requestId", x.id),
		slog.String("method", method),
		slog.String("route", x.pattern()),
		slog.Int("status", x.status),
		slog.Duration("took", took),
		slog.Int("bytes", x.bytes),
		slog.String("user", x.actor.User.ID),
		slog.String("code", x.code),
		slog.String("remote", x.r.RemoteAddr),
	)
}

// RequestEvent is the message of the log event of a request.
const RequestEvent = "request"

// knownMethod keeps strangers from inventing metric labels.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete,
		http.MethodOptions, http.MethodPatch, http.MethodTrace, http.MethodConnect:
		return method
	}
	return "other"
}
