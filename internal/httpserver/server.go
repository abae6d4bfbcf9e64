// Package httpserver makes the HTTP servers of all commands. A server has a deadline for everything a client can be
// slow with, and a bound on its connections: at the bound, the connection with the longest wait for its client is
// closed in favour of a new one. So clients with many open connections and little to send cannot keep others out.
package httpserver

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Limits is how long a client may take for each step, and how many connections there may be.
type Limits struct {
	Header      time.Duration // for a TLS handshake, and for the header of a request
	Body        time.Duration // for the body of a request
	Write       time.Duration // to take an answer; handlers may extend it
	Idle        time.Duration // between two requests
	Connections int           // at once
}

// DefaultLimits is the limits of a server with this many connections.
func DefaultLimits(connections int) Limits {
	return Limits{
		Header: 10 * time.Second, Body: 30 * time.Second, Write: 60 * time.Second, Idle: 2 * time.Minute,
		Connections: connections,
	}
}

// maxHeader leaves room for the largest token, 16 KiB, so that a larger one is refused with a reason.
const maxHeader = 128 << 10

// Config configures a Server.
type Config struct {
	Handler http.Handler
	Limits  Limits
	Log     *slog.Logger

	// Certificate makes the server speak TLS. It is called at every handshake.
	Certificate func(*tls.ClientHelloInfo) (*tls.Certificate, error)

	// Proof is a protocol of a handshake alone, to prove the name of the server (RFC 8737). "" for none.
	Proof string

	// Refusal is the complete answer, of status line, headers and body, to bytes refused by
	// net/http before any handler. Nil leaves the answer to net/http.
	Refusal func(status int) []byte
}

// Server is an http.Server within limits.
type Server struct {
	http.Server
	conns    *conns
	header   time.Duration
	refusal  func(status int) []byte
	draining atomic.Bool
}

// New returns a server before it serves.
func New(cfg Config) *Server {
	s := &Server{conns: newConns(cfg.Limits.Connections, cfg.Log), header: cfg.Limits.Header, refusal: cfg.Refusal}
	s.Server = http.Server{
		Handler: bodyLimits{cfg.Handler, cfg.Limits.Body, &s.draining},
		// There is no ReadTimeout: it would also end long answers. Bodies have their own deadline.
		ReadHeaderTimeout: cfg.Limits.Header,
		WriteTimeout:      cfg.Limits.Write,
		IdleTimeout:       cfg.Limits.Idle,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
		ConnState:         changeState,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, innermost(c))
		},
		// The smallest size allowed by the protocol. A larger frame is noticed only when all of it
		// has come, and a client sending it slowly would look like one sending nothing.
		HTTP2: &http.HTTP2Config{MaxReadFrameSize: 16 << 10},
		// OPTIONS * is a request like any other, not one for net/http.
		DisableGeneralOptionsHandler: true,
	}
	if cfg.Certificate != nil {
		s.TLSConfig = &tls.Config{
			MinVersion:     tls.VersionTLS12,
			NextProtos:     []string{"h2", "http/1.1"},
			GetCertificate: cfg.Certificate,
		}
		if cfg.Proof != "" {
			s.TLSConfig.NextProtos = append(s.TLSConfig.NextProtos, cfg.Proof)
		}
	}
	return s
}

// Serve serves on a listener until the server is shut down.
func (s *Server) Serve(l net.Listener) error {
	l = &listener{Listener: l, conns: s.conns}
	if s.TLSConfig == nil {
		return s.Server.Serve(refusingListener{l, s.refusal})
	}
	return s.Server.Serve(newTLSListener(l, s.TLSConfig, s.header, s.refusal))
}

// Drain asks the clients to go elsewhere: from now on each answer is the last one on its connection (over HTTP/2: the
// last for new requests). New connections are taken as before, and idle ones stay: a request may be on its way on them.
func (s *Server) Drain() { s.draining.Store(true) }

// Close closes all connections at once.
func (s *Server) Close() error {
	s.conns.ended.Store(true)
	return s.Server.Close()
}

// changeState notes whether a connection waits for its client.
func changeState(c net.Conn, state http.ConnState) {
	switch inner := innermost(c); {
	case inner == nil:
	case state == http.StateIdle:
		inner.wait()
	case state == http.StateActive:
		inner.work()
	}
}
