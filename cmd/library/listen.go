package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// listen binds an address; a fault names the flag that changes it.
func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen (choose another address with %s): %w", flag, err)
	}
	return l, nil
}

// maxHeader leaves room for the largest token that is looked at, 16 KiB, so
// that a larger one is told why it is refused.
const maxHeader = 128 << 10

// newHTTPServer has a limit for every way in which a client can be slow.
func newHTTPServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second, // long lists extend it as they go
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		// OPTIONS * is a request like any other, not one for net/http.
		DisableGeneralOptionsHandler: true,
	}
}
