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

// listeners are those of `library serve`.
type listeners struct {
	api        net.Listener
	web        net.Listener // nil without a client, or with one beside the API
	management net.Listener
}

// bind takes the sockets that were passed, and binds the other addresses.
func bind(cfg *serveConfig, passed passedSockets) (on listeners, err error) {
	if on.api, err = passed.listen("api", "--addr", cfg.addr); err != nil {
		return on, err
	}
	if cfg.hasWebListener() {
		if on.web, err = passed.listen("web", "--web-addr", cfg.web.addr); err != nil {
			return on, err
		}
	}
	if on.management, err = passed.listen("management", "--management-addr", cfg.managementAddr); err != nil {
		return on, err
	}
	return on, passed.unserved()
}

func (on listeners) close() {
	for _, l := range []net.Listener{on.api, on.web, on.management} {
		if l != nil {
			l.Close()
		}
	}
}

// log says what is where.
func (on listeners) log(log *slog.Logger, cfg *serveConfig) {
	log.Info("management", "at", on.management.Addr().String())
	if cfg.web.on {
		at := on.api
		if on.web != nil {
			at = on.web
		}
		log.Info("web", "at", at.Addr().String(), "basePath", cfg.web.basePath+"/", "open", cfg.clientAddress(at), "api", cfg.apiAddress(on.api))
	}
	log.Info("listening", "addr", on.api.Addr().String(), "basePath", cfg.basePath, "tls", cfg.speaksTLS())
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
	sharing := max(c.sharing, 1)
	if c.hasWebListener() {
		sharing = max(sharing, 2)
	}
	return max(httpserver.Connections(sharing)-managementConnections, managementConnections)
}

// newServer is the server of the API.
func (c *serveConfig) newServer(h http.Handler, log *slog.Logger, certs certificates) *httpserver.Server {
	return httpserver.New(httpserver.Config{
		Handler: h, Log: log, Limits: httpserver.DefaultLimits(c.connections()), Refusal: httpapi.Refusal(c.speaksTLS()),
		Certificate: certs.get, Proof: certs.proof,
	})
}
