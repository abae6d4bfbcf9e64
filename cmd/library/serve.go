package main

import (
	"cmp"
	"context"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/hook"
	"example.org/library/housekeeping"
	"example.org/library/outgoing"
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
(--config); --print-config writes one. --every 24h makes a backup every day.`,
		Example: `  library serve --issuer https://login.example.org/realms/main --bootstrap-user you@example.org
  library serve --issuer https://login.example.org/realms/main --database postgres://library@db/library
  library serve --print-config > library.toml
  library serve --print-config --for entra > library.toml
  library serve --config library.toml`,
	}, env, cfg, untilStopped(func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, cfg.logFormat, cfg.logLevel)
		thisBuild().log(log.Logger)
		defer log.out.flush()
		if _, set := env.Lookup("GOGC"); !set {
			debug.SetGCPercent(gcPercent)
		}
		if _, set := env.Lookup("GOMEMLIMIT"); !set {
			debug.SetMemoryLimit(softMemory)
		}
		if cfg.config != "" && tellsPassword(cfg.config) {
			log.Warn("everybody on this machine can read the configuration file, which has a password in it; chmod 600 corrects that", "file", cfg.config)
		}
		for _, what := range cfg.idle() {
			log.Warn("a setting has no effect", "because", what)
		}
		cfg.hurry = env.Interrupts.Hurry()
		return serve(cmd.Context(), cfg, log)
	}))
}

// gcPercent lets the heap grow to a few times what is in use before it is
// collected. What is in use is small, so this is some megabytes for a tenth of
// the processor's time.
const gcPercent = 300

// softMemory is from where on it is collected more often than that: thousands of
// connections hold some 100 MB, and a heap of several times as much is of no use. What
// SQLite takes is not counted.
const softMemory = 192 << 20

// serve binds first, so that a port in use is found out before anything else
// happens, then opens what it needs, and only then lets requests in.
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

// serveOn serves on addresses that are bound. If the database is not there yet,
// callers get 503 until it is. It calls opened when the database is open and
// requests are answered.
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
	store, err := p.openLibrary(all.ctx, cfg, log.Logger, begin)
	if err != nil {
		return cmp.Or(all.stop(drain{}), err)
	}
	defer store.Close()
	if err := shareNonces(all.ctx, p.scheme, store); err != nil {
		return cmp.Or(all.stop(drain{}), err)
	}
	registerDatabase(p.registry, store)
	watchEvents(background, store, p.registry, log.Logger)
	lib := p.open(cfg, store, log.Logger)
	defer housekeeping.Start(housekeeping.Config{Run: lib.RunHousekeeping, Logger: log.Logger, Metrics: p.registry})()
	stopBackups, err := cfg.backups.start(cfg.database, store, log.Logger, p.registry)
	if err != nil {
		return cmp.Or(all.stop(drain{}), err)
	}
	defer stopBackups()
	defer cfg.webhooks.start(hook.New(store, lib.Now), log.Logger, p.registry)()
	defer cfg.mails.start(outgoing.New(store, lib), p.mails, log.Logger, p.registry)()
	begin()
	opened()
	return all.serve(drain{time: cfg.drain, hurry: cfg.hurry, begin: func() { p.drain() }})
}
