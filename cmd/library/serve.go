package main

import (
	"context"
	"fmt"
	"net"
	"runtime/debug"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/cli"
	"example.org/library/housekeeping"
	"example.org/library/httpapi"
)

func newServe(env cli.Environment) *cobra.Command {
	cfg := &serveConfig{}
	return newConfigured(&cobra.Command{
		Use:   "serve",
		Short: "Run the API",
		Long: `Run the API.

It takes bearer tokens from the OpenID Connect provider named by --issuer, keeps
its data in the database named by --database, and stops cleanly on SIGTERM: first
/readyz says 503 while requests are still answered for as long as --drain says, then
it takes no more, finishes those that it has, and exits. SIGINT and a second signal
skip the --drain. SIGHUP makes it read the certificate and the password file again.`,
		Example: `  library serve --issuer https://login.example.org/realms/main --bootstrap-user you@example.org
  library serve --issuer https://login.example.org/realms/main --database postgres://library@db/library`,
	}, env, cfg, func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, cfg.logFormat, cfg.logLevel)
		thisBuild().log(log.Logger)
		defer log.out.flush()
		if _, set := env.Lookup("GOGC"); !set {
			debug.SetGCPercent(gcPercent)
		}
		cfg.hurry = env.Interrupts.Hurry()
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
	passed, err := takePassedSockets()
	if err != nil {
		return err
	}
	apiListener, err := passed.listen("api", "--addr", cfg.addr)
	if err != nil {
		return err
	}
	defer apiListener.Close()
	managementListener, err := passed.listen("management", "--management-addr", cfg.managementAddr)
	if err != nil {
		return err
	}
	defer managementListener.Close()
	if err := passed.unserved(); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { tellManager("STOPPING=1") })()
	return serveOn(ctx, cfg, log, apiListener, managementListener, func() { tellManager("READY=1") })
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
	health := httpapi.NewManagement(registry, checks)
	management := newManagementServer(atOwnName(managementListener, health), log.Logger)
	if !cfg.ownNameOnly { // a demonstration ends with its terminal
		defer rereadOnHangup(log.Logger, rereadable(cert, scheme))()
	}

	defer housekeeping.Start(housekeeping.Config{Keep: service.KeepHouse, Logger: log.Logger, Metrics: registry})()

	log.Info("management", "at", managementListener.Addr().String())
	log.Info("listening", "addr", apiListener.Addr().String(), "basePath", cfg.basePath, "tls", cfg.tlsCert != "")
	ready()
	end := drain{time: cfg.drain, hurry: cfg.hurry, begin: func() { health.Stopping(); api.Drain() }}
	return serveUntil(ctx, log.Logger, end, serving{api, apiListener}, serving{management, managementListener})
}
