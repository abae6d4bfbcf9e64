package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/cli"
	"example.org/library/housekeeping"
	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
	"example.org/library/sqlstore"
)

// serveConfig is what `library serve` runs with.
type serveConfig struct {
	addr           string
	basePath       string
	managementAddr string
	ownNameOnly    bool // for the demo: no name but the machine's own is good at addr
	secondShelf    bool // for the demo: sample books with loans and holds, too
	sharing        int  // servers in this process that share its connections; 0 for this one alone
	issuer         string
	jwksURL        string
	audience       string
	authorities    auth.Mode
	verifiedEmail  bool
	clockSkew      time.Duration
	origins        []string
	name           string
	database       string
	migrate        bool
	sampleData     bool
	bootstrapUser  string
	auth           string
	htpasswd       string
	tlsCert        string
	tlsKey         string
	logFormat      string
	logLevel       slog.Level
}

func (c *serveConfig) settings() []setting {
	return []setting{
		{flag: "addr", value: ":9091", usage: "address of the API", set: listenAddress(&c.addr)},
		{flag: "base-path", value: "/library-server", usage: "path under which the API lives; / for none", set: basePath(&c.basePath)},
		{flag: "management-addr", value: "127.0.0.1:9092", usage: "address of health, readiness and metrics", set: listenAddress(&c.managementAddr)},
		{flag: "issuer", usage: "issuer address of the identity provider, character for character; required with --auth bearer", set: webAddress(&c.issuer)},
		{flag: "jwks-url", usage: "address of the provider's key set; by default the one in its discovery document", set: webAddress(&c.jwksURL)},
		{flag: "audience", value: "library-service", usage: "what a token's aud must contain", set: quotable(&c.audience)},
		{flag: "authorities", value: "scope", usage: "where roles come from: scope, groups, local or plain", set: authorities(&c.authorities)},
		{flag: "require-verified-email", value: "false", boolean: true, usage: "refuse tokens whose e-mail address is not verified", set: boolean(&c.verifiedEmail)},
		{flag: "clock-skew", value: "0s", usage: "how late a token may be, at most 60s", set: clockSkew(&c.clockSkew)},
		{flag: "client-origin", value: "localhost:4200", usage: "host:port of the browser client; several separated by commas", set: hosts(&c.origins)},
		nameSetting(&c.name),
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
		{flag: "migrate", value: "true", boolean: true, usage: "bring the database schema up to date at the start", set: boolean(&c.migrate)},
		{flag: "sample-data", value: "false", boolean: true, usage: "add sample users and books to an empty database", set: boolean(&c.sampleData)},
		{flag: "bootstrap-user", usage: "e-mail address of a first admin, added when there is no user yet", set: emailAddress(&c.bootstrapUser)},
		{flag: "auth", value: "bearer", usage: "how callers authenticate: bearer or basic", set: oneOf(&c.auth, "bearer", "basic")},
		{flag: "htpasswd", usage: "bcrypt password file; required with --auth basic", set: text(&c.htpasswd)},
		{flag: "tls-cert", usage: "certificate file; without it the API speaks plain HTTP", set: text(&c.tlsCert)},
		{flag: "tls-key", usage: "private key file of the certificate", set: text(&c.tlsKey)},
		{flag: "log-format", value: "text", usage: "text or json", set: oneOf(&c.logFormat, "text", "json")},
		{flag: "log-level", value: "info", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
}

func (c *serveConfig) check() []cli.Problem {
	var problems []cli.Problem
	if c.auth == "bearer" && c.issuer == "" {
		problems = append(problems, problem("--issuer", "is required: the issuer address of your identity provider, such as https://login.example.org/realms/main (LIBRARY_ISSUER)"))
	}
	if c.auth == "basic" && c.htpasswd == "" {
		problems = append(problems, problem("--htpasswd", "is required with --auth basic: a file with lines such as those of htpasswd -B (LIBRARY_HTPASSWD)"))
	} else if c.auth == "basic" {
		if _, err := auth.NewBasic(auth.BasicConfig{Path: c.htpasswd}); err != nil {
			problems = append(problems, problem("--htpasswd", "cannot be used: "+err.Error()))
		}
	}
	if (c.tlsCert == "") != (c.tlsKey == "") {
		problems = append(problems, problem("--tls-cert, --tls-key", "go together; only one of them is given"))
	} else if c.tlsCert != "" {
		if _, err := tls.LoadX509KeyPair(c.tlsCert, c.tlsKey); err != nil {
			problems = append(problems, problem("--tls-cert, --tls-key", "cannot be used: "+err.Error()))
		}
	}
	return problems
}

func newServe(env cli.Environment) *cobra.Command {
	cfg := &serveConfig{}
	return newConfigured(&cobra.Command{
		Use:   "serve",
		Short: "Run the API",
		Long: `Run the API.

It takes bearer tokens from the OpenID Connect provider named by --issuer, keeps
its data in the database named by --database, and stops cleanly on SIGTERM. SIGHUP
makes it read the certificate and the password file again.`,
		Example: `  library serve --issuer https://login.example.org/realms/main --bootstrap-user you@example.org
  library serve --issuer https://login.example.org/realms/main --database postgres://library@db/library`,
	}, env, cfg, func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, cfg.logFormat, cfg.logLevel)
		thisBuild().log(log.Logger)
		defer log.out.flush()
		if _, set := env.Lookup("GOGC"); !set {
			debug.SetGCPercent(gcPercent)
		}
		return serve(cmd.Context(), cfg, log)
	})
}

// gcPercent lets the heap grow to a few times what is in use before it is
// collected. What is in use is small, so this is some megabytes for a tenth of
// the processor's time.
const gcPercent = 300

// serve binds first, so that a port in use is found out before anything else
// happens, then opens what it needs, and only then lets requests in.
func serve(ctx context.Context, cfg *serveConfig, log *logs) error {
	apiListener, err := listen("--addr", cfg.addr)
	if err != nil {
		return err
	}
	defer apiListener.Close()
	managementListener, err := listen("--management-addr", cfg.managementAddr)
	if err != nil {
		return err
	}
	defer managementListener.Close()
	return serveOn(ctx, cfg, log, apiListener, managementListener, func() {})
}

// serveOn serves on addresses that are bound. It calls ready just before the
// first request can be answered.
func serveOn(ctx context.Context, cfg *serveConfig, log *logs, apiListener, managementListener net.Listener, ready func()) error {
	store, err := openStore(ctx, cfg.database, cfg.migrate, log.Logger)
	if err != nil {
		return err
	}
	defer store.Close()
	service := library.NewService(store)
	if err := service.Prepare(ctx, library.Setup{Samples: cfg.sampleData, SecondShelf: cfg.secondShelf, Admin: cfg.bootstrapUser}); err != nil {
		return fmt.Errorf("--sample-data, --bootstrap-user: %w", err)
	}
	sayWhatAdminNeeds(cfg, log.Logger)
	stopTracing, traced, err := startTracing(ctx, log.Logger)
	if err != nil {
		return err
	}
	defer stopTracing()

	background, stop := context.WithCancel(context.Background())
	defer stop()
	registry := newRegistry(store)
	checks := []httpapi.Check{{Name: "database", Run: service.Ready}}
	scheme, err := newScheme(background, cfg, log.Logger, registry, &checks)
	if err != nil {
		return err
	}
	cert, err := openCertificate(cfg.tlsCert, cfg.tlsKey)
	if err != nil {
		return err
	}
	handler := httpapi.New(httpapi.Config{
		Service: service, Auth: scheme, Name: cfg.name, BasePath: cfg.basePath, Origins: cfg.origins,
		TLS: cfg.tlsCert != "", Logger: log.Logger, Events: log.request, Metrics: httpapi.NewMetrics(registry),
		MaxStreams: cfg.connections() / 2,
	})
	entrance := traced(handler)
	if cfg.ownNameOnly {
		entrance = atOwnName(apiListener, entrance)
	}
	api := cfg.newServer(entrance, log.Logger, cert)
	api.RegisterOnShutdown(handler.EndStreams)
	management := newManagementServer(atOwnName(managementListener, httpapi.NewManagement(registry, checks)), log.Logger)
	if !cfg.ownNameOnly { // a demonstration ends with its terminal
		defer rereadOnHangup(log.Logger, rereadable(cert, scheme))()
	}

	defer housekeeping.Start(housekeeping.Config{Keep: service.KeepHouse, Logger: log.Logger, Metrics: registry})()

	log.Info("management", "at", managementListener.Addr().String())
	log.Info("listening", "addr", apiListener.Addr().String(), "basePath", cfg.basePath, "tls", cfg.tlsCert != "")
	ready()
	return serveUntil(ctx, log.Logger,
		serving{api, apiListener}, serving{management, managementListener})
}

// openStore opens the database and brings its schema up to date, or makes sure
// that it is.
func openStore(ctx context.Context, url string, migrate bool, log *slog.Logger) (*sqlstore.Store, error) {
	store, err := sqlstore.Open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	if migrate {
		applied, err := store.Migrate(ctx)
		if err != nil {
			store.Close()
			return nil, fmt.Errorf("--database: %w", err)
		}
		for _, name := range applied {
			log.Info("migrated", "migration", name)
		}
		return store, nil
	}
	pending, err := store.Pending(ctx)
	if err == nil && len(pending) > 0 {
		err = errors.New("the schema is not up to date; run 'library migrate', or serve without --migrate=false")
	}
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("--database: %w", err)
	}
	return store, nil
}

// newScheme is the way in which callers authenticate. It adds what must hold
// for that to work to checks.
func newScheme(ctx context.Context, cfg *serveConfig, log *slog.Logger, registry prometheus.Registerer, checks *[]httpapi.Check) (auth.Scheme, error) {
	if cfg.auth == "basic" {
		log.Warn("basic authentication is the earlier mode; use bearer tokens wherever you can")
		basic, err := auth.NewBasic(auth.BasicConfig{Path: cfg.htpasswd, Logger: log})
		if err != nil {
			return nil, fmt.Errorf("--htpasswd: %w", err)
		}
		return basic, nil
	}
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: cfg.issuer, URL: cfg.jwksURL, Logger: log})
	go keys.Run(ctx)
	registerKeySet(registry, keys)
	*checks = append(*checks, httpapi.Check{Name: "keys", Run: func(context.Context) error { return keys.Ready() }})
	return auth.NewBearer(auth.Config{
		Issuer: cfg.issuer, Audience: cfg.audience, Authorities: cfg.authorities,
		RequireVerifiedEmail: cfg.verifiedEmail, ClockSkew: cfg.clockSkew, Keys: keys,
	}), nil
}

// rereadable is the files that SIGHUP reads again.
func rereadable(cert *certificate, scheme auth.Scheme) (files []reread) {
	if cert != nil {
		files = append(files, reread{"certificate", cert.read})
	}
	if basic, ok := scheme.(*auth.Basic); ok {
		files = append(files, reread{"password file", basic.Reread})
	}
	return files
}

// serving is a server and where it listens.
type serving struct {
	server   *httpserver.Server
	listener net.Listener
}

func (s serving) run() error {
	err := s.server.Serve(s.listener)
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// shutdownTimeout is how long requests in flight may take when we stop.
const shutdownTimeout = 15 * time.Second

// serveUntil serves until ctx ends, then stops taking connections, lets the
// requests in flight finish and returns.
func serveUntil(ctx context.Context, log *slog.Logger, all ...serving) error {
	group, groupCtx := errgroup.WithContext(ctx)
	for _, s := range all {
		group.Go(s.run)
	}
	<-groupCtx.Done()
	log.Info("stopping")
	deadline, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	for _, s := range all {
		if err := s.server.Shutdown(deadline); err != nil {
			log.Warn("requests were cut off after the time-out", "timeout", shutdownTimeout)
			s.server.Close()
		}
	}
	err := group.Wait()
	log.Info("stopped")
	return err
}
