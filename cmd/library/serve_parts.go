package main

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/admission"
	"example.org/library/auth"
	"example.org/library/finding"
	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/sqlstore"
	"example.org/library/statistics"
)

// parts is all of `library serve` that can be there before its database.
type parts struct {
	registry   *prometheus.Registry
	scheme     auth.Scheme
	database   *presence
	entrance   *entrance
	health     *httpapi.Management
	api        *httpserver.Server
	web        *httpserver.Server // nil without a client, or with one beside the API
	management *httpserver.Server
	reloadable []reloadableFile
	mails      *notice.Sender
}

func newParts(ctx context.Context, cfg *serveConfig, log *logs, on listeners, traced func(http.Handler) http.Handler) (*parts, error) {
	p := &parts{registry: newRegistry(), database: &presence{}}
	checks := []httpapi.Check{{Name: "database", Run: p.database.ready}}
	scheme, err := newScheme(ctx, cfg, log.Logger, p.registry, &checks)
	if err != nil {
		return nil, err
	}
	certs, err := cfg.openCertificates(ctx, log.Logger)
	if err != nil {
		return nil, err
	}
	mails, err := cfg.mails.sender(cfg.name)
	if err != nil {
		return nil, err
	}
	p.mails = mails
	p.scheme, p.reloadable = scheme, reloadable(certs.file, scheme)
	metrics := httpapi.NewMetrics(p.registry)
	p.entrance = newEntrance(httpapi.Config{
		Auth: scheme, Mails: mails, Name: cfg.name, BasePath: cfg.basePath, Origins: cfg.clientOrigins(on),
		TLS: cfg.speaksTLS(), Resource: cfg.resource(), Logger: log.Logger, Events: log.request, Metrics: metrics,
		MaxStreams: cfg.connections() / 2, PublicRate: cfg.public.perSecond(), Lookup: cfg.lookup.catalogues(log.Logger, metrics), Covers: cfg.lookup.coverSource(),
	})
	outside := traced(p.entrance)
	if outside, err = p.addClient(cfg, log, on, certs, outside); err != nil {
		return nil, err
	}
	if cfg.ownNameOnly {
		outside = atOwnName(on.api, outside)
	}
	p.api = cfg.newServer(outside, log.Logger, certs)
	p.api.RegisterOnShutdown(p.entrance.endStreams)
	p.health = httpapi.NewManagement(p.registry, checks)
	p.management = newManagementServer(atOwnName(on.management, p.health), log.Logger)
	return p, nil
}

// addClient adds the browser client, if there is to be one: beside the API, which
// it returns then, or at an address of its own.
func (p *parts) addClient(cfg *serveConfig, log *logs, on listeners, certs certificates, api http.Handler) (http.Handler, error) {
	if !cfg.web.on {
		return api, nil
	}
	client, err := cfg.newClient(on.api)
	switch {
	case err != nil:
		return nil, err
	case on.web == nil:
		return beside(cfg.basePath, api, client), nil
	case cfg.ownNameOnly:
		client = atOwnName(on.web, atItsName(on.web, client))
	}
	p.web = cfg.newWebServer(client, log.Logger, certs)
	return api, nil
}

// servings are the servers in the order in which they stop.
func (p *parts) servings(on listeners) []serving {
	all := []serving{{p.api, on.api}}
	if p.web != nil {
		all = append(all, serving{p.web, on.web})
	}
	return append(all, serving{p.management, on.management})
}

// drain says that no more requests should come.
func (p *parts) drain() {
	p.health.Stopping()
	p.api.Drain()
	if p.web != nil {
		p.web.Drain()
	}
}

// rooms are the parts of the domain that answer requests.
type rooms struct {
	lib        *service.Service
	admits     *admission.Admission
	finding    *finding.Service
	statistics *statistics.Service
}

// open begins to answer requests about the library that is in the store.
func (p *parts) open(cfg *serveConfig, store *sqlstore.Store, log *slog.Logger) *service.Service {
	lib := service.New(store, cfg.mails.options()...)
	p.entrance.open(rooms{
		lib: lib, admits: admission.New(lib, store, cfg.admission()),
		finding: finding.New(store), statistics: statistics.New(store, lib.Now),
	}, store.MaxReads())
	p.database.service.Store(lib)
	if p.database.isSlow {
		log.Info("the database is open")
	}
	return lib
}

// entrance is the API, before and after its database is there.
type entrance struct {
	config  httpapi.Config
	current atomic.Pointer[httpapi.Server]
}

func newEntrance(config httpapi.Config) *entrance {
	e := &entrance{config: config}
	config.Service, config.NoDatabase = service.New(absentStore{}), true
	e.current.Store(httpapi.New(config))
	return e
}

func (e *entrance) open(of rooms, maxReads int) {
	config := e.config
	config.Service, config.Admits, config.Finding, config.Statistics = of.lib, of.admits, of.finding, of.statistics
	config.MaxReads = maxReads
	e.current.Store(httpapi.New(config))
}

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.current.Load().ServeHTTP(w, r)
}

func (e *entrance) endStreams() { e.current.Load().EndStreams() }
