package main

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"example.org/library/auth"
	"example.org/library/cli/command"
	"example.org/library/housekeeping"
	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
	"example.org/library/notice"
	"example.org/library/search"
	"example.org/library/service"
	"example.org/library/signin"
	"example.org/library/sqlstore"
	"example.org/library/statistics"
	"example.org/library/stocktake"
	"example.org/library/webhook"
)

func newServe(env command.Environment) *cobra.Command {
	cfg := &serveConfig{}
	return newConfigured(&cobra.Command{
		Use:   "serve",
		Short: "Run the API",
		Long: `Run the API.

It takes bearer tokens from the OpenID Connect provider named by --issuer, keeps
its data in the database named by --database, and stops cleanly on SIGTERM: first
/readyz says 503 while requests are still answered for as long as --drain says, then
it takes no more, finishes those that it has, and exits. SIGINT and a second signal
skip the --drain. SIGHUP makes it read the certificate and the password file again.

With --web the same process serves the browser client. Everything can be in a file
(--config); --print-config writes one. --backup-every 24h makes a backup every day.`,
		Example: `  library serve --issuer https://login.example.org/realms/main --bootstrap-user you@example.org
  library serve --print-config --for entra > library.toml
  library serve --config library.toml`,
	}, env, cfg, untilStopped(func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, cfg.logFormat, cfg.logLevel)
		thisBuild().log(log.Logger)
		if _, set := env.Lookup("GOGC"); !set {
			debug.SetGCPercent(gcPercent)
		}
		if _, set := env.Lookup("GOMEMLIMIT"); !set {
			debug.SetMemoryLimit(softMemory)
		}
		if cfg.config != "" && tellsPassword(cfg.config) {
			log.Warn("everybody on this machine can read the configuration file with a password in it; chmod 600 corrects this", "file", cfg.config)
		}
		for _, old := range cfg.oldNames {
			log.Warn("a setting has a new name; the former one still works", "because", old)
		}
		for _, what := range cfg.idle() {
			log.Warn("a setting has no effect", "because", what)
		}
		cfg.hurry = env.Interrupts.Hurry()
		return serve(cmd.Context(), cfg, log)
	}))
}

// gcPercent lets the heap grow to a few times its live size before a collection. The live size is
// small, so this is some megabytes for a tenth of the processor's time.
const gcPercent = 300

// softMemory is the size from which collections are more frequent: thousands of connections hold
// some 100 MB, and a heap of several times as much is of no use. The memory of SQLite is not
// counted.
const softMemory = 168 << 20

// serve binds first, so that a port in use is found out before anything else happens, then opens
// the database and the key set, and only then lets requests in.
func serve(ctx context.Context, cfg *serveConfig, log *logs) error {
	passed, err := takePassedSockets()
	if err != nil {
		return err
	}
	on, err := bind(cfg, passed)
	defer on.close()
	if err != nil {
		return err
	}
	notified := make(chan struct{})
	stopNotifying := context.AfterFunc(ctx, func() { notifyManager("STOPPING=1"); close(notified) })
	defer func() {
		if !stopNotifying() {
			<-notified // before the end, which may come at once
		}
	}()
	return serveOn(ctx, cfg, log, on, func() {})
}

// serveOn serves on bound addresses. Until the database is there, callers get 503. serveOn calls
// opened when the database is open and requests are answered.
func serveOn(ctx context.Context, cfg *serveConfig, log *logs, on listeners, opened func()) error {
	stopTracing, traced, err := startTracing(ctx, log.Logger)
	if err != nil {
		return err
	}
	defer stopTracing()
	background, stop := context.WithCancel(context.Background())
	defer stop()
	p, err := newParts(background, cfg, log, on, traced)
	if err != nil {
		return err
	}
	if !cfg.ownNameOnly { // a demonstration ends with its terminal
		defer reloadOnHangup(log.Logger, p.reloadable)()
	}
	all := newServers(ctx, log.Logger, p.servings(on)...)
	begin := sync.OnceFunc(func() {
		on.log(log.Logger, cfg)
		all.start()
		notifyManager("READY=1") // before the database is open: a manager ends a program that does not say so in time
	})
	store, err := p.openShared(all.ctx, cfg, log.Logger, begin)
	if err != nil {
		return cmp.Or(all.stop(drain{}), err)
	}
	defer store.Close()
	watchEvents(background, store, p.registry, log.Logger)
	stopLogouts, err := watchLogouts(all.ctx, service.New(store), p.logouts, log.Logger)
	if err != nil {
		return cmp.Or(all.stop(drain{}), err)
	}
	defer stopLogouts()
	lib := p.open(cfg, store, log.Logger)
	defer housekeeping.Start(housekeeping.Config{Run: lib.RunHousekeeping, Logger: log.Logger, Metrics: p.registry})()
	stopBackups, err := cfg.backups.start(cfg.database, store, log.Logger, p.registry)
	if err != nil {
		return cmp.Or(all.stop(drain{}), err)
	}
	defer stopBackups()
	defer cfg.webhooks.start(webhook.New(store, lib.Now), log.Logger, p.registry)()
	defer cfg.mails.start(notice.New(store, lib), p.mails, log.Logger, p.registry)()
	begin()
	opened()
	return all.serve(drain{time: cfg.drain, hurry: cfg.hurry, begin: func() { p.drain() }})
}

// parts are the parts of `library serve` that do not need its database.
type parts struct {
	registry   *prometheus.Registry
	scheme     auth.Scheme
	logouts    *auth.Logouts // nil if the provider tells of none
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
	p := &parts{registry: newRegistry(), database: &presence{log: log.Logger}}
	gauge(p.registry, "library_database_read_only", "Whether the database can be read, but not written: 1 or 0.", p.database.isReadOnly)
	checks := []httpapi.Check{{Name: "database", Run: p.database.ready}}
	scheme, logouts, err := newScheme(ctx, cfg, log.Logger, p.registry, &checks)
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
	p.scheme, p.logouts, p.reloadable = scheme, logouts, reloadable(certs.file, scheme)
	metrics := httpapi.NewMetrics(p.registry)
	directory, err := cfg.directory(log.Logger)
	if err != nil {
		return nil, err
	}
	p.entrance = newEntrance(httpapi.Config{
		Auth: scheme, Mails: mails, Name: cfg.name, BasePath: cfg.basePath, Origins: cfg.clientOrigins(on),
		TLS: cfg.speaksTLS(), Resource: cfg.resource(), Logger: log.Logger, Events: log.request, Metrics: metrics,
		MaxStreams: cfg.connections() / 2, PublicRate: cfg.public.perSecond(), Lookup: cfg.lookup.catalogues(log.Logger, metrics), Covers: cfg.lookup.coverSource(), Logouts: logouts, SCIM: directory,
	})
	outside := traced(p.entrance)
	if outside, err = p.addClient(cfg, log, on, certs, outside); err != nil {
		return nil, err
	}
	if cfg.ownNameOnly {
		outside = atOwnName(on.api, outside)
	}
	p.api = httpserver.New(httpserver.Config{
		Handler: outside, Log: log.Logger, Limits: httpserver.DefaultLimits(cfg.connections()), Refusal: httpapi.Refusal(cfg.speaksTLS()),
		Certificate: certs.get, Proof: certs.proof,
	})
	p.api.RegisterOnShutdown(func() { p.entrance.current.Load().EndStreams() })
	p.health = httpapi.NewManagement(p.registry, checks)
	p.management = newServer(atOwnName(on.management, p.health), log.Logger, managementConnections, certificates{})
	return p, nil
}

// addClient adds the browser client, if it is switched on: beside the API, in the returned
// handler, or at an address of its own.
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
	p.web = newServer(client, log.Logger, httpserver.Connections(max(cfg.sharing, 2)), certs)
	return api, nil
}

// servings returns the servers in the order of stopping.
func (p *parts) servings(on listeners) []serving {
	all := []serving{{p.api, on.api}}
	if p.web != nil {
		all = append(all, serving{p.web, on.web})
	}
	return append(all, serving{p.management, on.management})
}

// drain tells load balancers to send no more requests.
func (p *parts) drain() {
	p.health.Stopping()
	p.api.Drain()
	if p.web != nil {
		p.web.Drain()
	}
}

// rooms are the parts of the domain behind the API.
type rooms struct {
	lib        *service.Service
	admits     *signin.SignIn
	search     *search.Service
	statistics *statistics.Service
	stocktakes *stocktake.Service
}

func (p *parts) open(cfg *serveConfig, store *sqlstore.Store, log *slog.Logger) *service.Service {
	lib := service.New(store, append(cfg.mails.options(), service.WithGroupRoles(cfg.groupRoles()))...)
	p.entrance.open(rooms{
		lib: lib, admits: signin.New(lib, store, cfg.signIn()),
		search: search.New(store), statistics: statistics.New(store, lib.Now), stocktakes: stocktake.New(store, lib),
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
	config.Service, config.Admits, config.Search, config.Statistics, config.Stocktakes = of.lib, of.admits, of.search, of.statistics, of.stocktakes
	config.MaxReads = maxReads
	e.current.Store(httpapi.New(config))
}

func (e *entrance) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.current.Load().ServeHTTP(w, r)
}
