package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
)

// listen binds an address; an error names the flag that changes it.
func listen(flag, addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, cannotListen(flag, err)
	}
	return l, nil
}

func cannotListen(flag string, err error) error {
	return fmt.Errorf("cannot listen (choose another address with %s): %w", flag, err)
}

// newHTTPServer is a server without settings of its own. All servers in the
// process share the connections that it may have.
func newHTTPServer(h http.Handler, log *slog.Logger, sharing int) *httpserver.Server {
	return httpserver.New(httpserver.Config{Handler: h, Log: log, Limits: httpserver.DefaultLimits(httpserver.Connections(sharing))})
}

// managementConnections is few: operators and their tools are few.
const managementConnections = 32

func newManagementServer(h http.Handler, log *slog.Logger) *httpserver.Server {
	return httpserver.New(httpserver.Config{Handler: h, Log: log, Limits: httpserver.DefaultLimits(managementConnections)})
}

// connections is how many the API may have.
func (c *serveConfig) connections() int {
	return max(httpserver.Connections(max(c.sharing, 1))-managementConnections, managementConnections)
}

// newServer is the server of the API.
func (c *serveConfig) newServer(h http.Handler, log *slog.Logger, cert *certificate) *httpserver.Server {
	config := httpserver.Config{
		Handler: h, Log: log, Limits: httpserver.DefaultLimits(c.connections()), Refusal: httpapi.Refusal(cert != nil),
	}
	if cert != nil {
		config.Certificate = cert.current.Load
	}
	return httpserver.New(config)
}
