package main

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
)

// parts is all of `library serve` that can be there before its database.
type parts struct {
	registry   *prometheus.Registry
	database   *presence
	entrance   *entrance
	health     *httpapi.Management
	api        *httpserver.Server
	management *httpserver.Server
	rereadable []reread
}

func newParts(ctx context.Context, cfg *serveConfig, log *logs, apiListener, managementListener net.Listener, traced func(http.Handler) http.Handler) (*parts, error) {
	p := &parts{registry: newRegistry(), database: &presence{}}
	checks := []httpapi.Check{{Name: "database", Run: p.database.ready}}
	scheme, err := newScheme(ctx, cfg, log.Logger, p.registry, &checks)
	if err != nil {
		return nil, err
	}
	cert, err := openCertificate(cfg.tlsCert, cfg.tlsKey)
	if err != nil {
		return nil, err
	}
	p.rereadable = rereadable(cert, scheme)
	p.entrance = newEntrance(httpapi.Config{
		Auth: scheme, Name: cfg.name, BasePath: cfg.basePath, Origins: cfg.origins,
		TLS: cfg.tlsCert != "", Logger: log.Logger, Events: log.request, Metrics: httpapi.NewMetrics(p.registry),
		MaxStreams: cfg.connections() / 2,
	})
	outside := traced(p.entrance)
	if cfg.ownNameOnly {
		outside = atOwnName(apiListener, outside)
	}
	p.api = cfg.newServer(outside, log.Logger, cert)
	p.api.RegisterOnShutdown(p.entrance.endStreams)
	p.health = httpapi.NewManagement(p.registry, checks)
	p.management = newManagementServer(atOwnName(managementListener, p.health), log.Logger)
	return p, nil
}

// open lets requests in to the library.
func (p *parts) open(service *library.Service) {
	p.entrance.open(service)
	p.database.service.Store(service)
}

// entrance is the API, before and after its database is there.
type entrance struct {
	config  httpapi.Config
	current atomic.Pointer[httpapi.Server]
}

func newEntrance(config httpapi.Config) *entrance {
	e := &entrance{config: config}
	e.open(library.NewService(absentStore{}))
	return e
}

func (e *entrance) open(service *library.Service) {
	config := e.config
	config.Service = service
	e.current.Store(httpapi.New(config))
}

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.current.Load().ServeHTTP(w, r)
}

func (e *entrance) endStreams() { e.current.Load().EndStreams() }
