package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// openStore opens the database and brings its schema up to date, or checks it.
func openStore(ctx context.Context, url string, migrate bool, log *slog.Logger) (*sqlstore.Store, error) {
	store, err := sqlstore.Open(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	var applied, pending []string
	if migrate {
		applied, err = store.Migrate(ctx)
	} else if pending, err = store.Pending(ctx); err == nil && len(pending) > 0 {
		err = errors.New("the schema is not up to date; run 'library migrate', or serve without --migrate=false")
	}
	if err != nil {
		store.Close()
		return nil, fmt.Errorf("--database: %w", err)
	}
	for _, name := range applied {
		log.Info("migrated", "migration", name)
	}
	return store, nil
}

// openLibrary opens the database and fills an empty library.
func openLibrary(ctx context.Context, cfg *serveConfig, log *slog.Logger) (*sqlstore.Store, error) {
	store, err := openStore(ctx, cfg.database, cfg.migrate, log)
	if err != nil {
		return nil, err
	}
	wasEmpty := hasNoUsers(ctx, store)
	setup := service.Setup{Samples: cfg.samples(), Admin: cfg.bootstrapUser}
	lib := service.New(store, service.WithGroupRoles(cfg.groupRoles()))
	if err := lib.Prepare(ctx, setup); err != nil {
		store.Close()
		return nil, fmt.Errorf("--sample-data, --bootstrap-user: %w", err)
	}
	switch err := lib.AssignGroupRoles(ctx); {
	case errors.Is(err, library.ErrLastAdmin):
		err = errors.New("--role-map: with this map the groups of the directory leave the library without an admin; name a group of an admin in it, or give the role to somebody outside of these groups first")
		fallthrough
	case err != nil && !errors.Is(err, library.ErrReadOnly):
		store.Close()
		return nil, err
	}
	sayWhoBegins(ctx, cfg, store, wasEmpty, log)
	return store, nil
}

// samples returns the content for an empty library, nil for nothing.
func (cfg *serveConfig) samples() service.Samples {
	switch {
	case !cfg.sampleData:
		return nil
	case cfg.secondShelf:
		return sample.Lending
	}
	return sample.Basic
}

// longOpening is after how long callers get 503, because the database is not open yet. Usually it
// takes a fraction of that; a migration may take minutes, and health checks must not take the
// program for dead.
const longOpening = 5 * time.Second

// openLibrary opens the database. If it is missing or slow, openLibrary calls begin, and callers
// get 503 until p.open.
func (p *parts) openLibrary(ctx context.Context, cfg *serveConfig, log *slog.Logger, begin func()) (*sqlstore.Store, error) {
	saySlow := sync.OnceFunc(func() {
		p.database.isSlow = true
		log.Warn("the database is still being opened, or its schema brought up to date; callers get 503 until it is done")
		begin()
	})
	opening := time.AfterFunc(longOpening, saySlow)
	inTime := false
	waiting := func(err error) {
		inTime = opening.Stop() || inTime
		p.database.waiting(err)
		begin()
	}
	store, err := awaitDatabase(ctx, cfg.wait, log, waiting,
		func(ctx context.Context) (*sqlstore.Store, error) { return openLibrary(ctx, cfg, log) })
	if inTime = opening.Stop() || inTime; !inTime {
		saySlow() // has been called, or is being called: this waits for it
	}
	return store, err
}

// openShared opens the library, registers its metrics, and shares the nonces of bound tokens with its other processes.
func (p *parts) openShared(ctx context.Context, cfg *serveConfig, log *slog.Logger, begin func()) (*sqlstore.Store, error) {
	store, err := p.openLibrary(ctx, cfg, log, begin)
	if err != nil {
		return nil, err
	}
	if err := shareNonces(ctx, p.scheme, store); err != nil {
		store.Close()
		return nil, err
	}
	registerDatabase(p.registry, store)
	return store, nil
}

// How long to wait before the next try, at most, and between two lines of the log.
const (
	maxPause = 2 * time.Second
	logEvery = 30 * time.Second
)

// awaitDatabase runs open until the database can be used, for wait at most.
// It calls waiting after each failure with the reason. Whatever else is wrong
// ends it: waiting does not help.
func awaitDatabase[T any](ctx context.Context, wait time.Duration, log *slog.Logger, waiting func(error), open func(context.Context) (T, error)) (T, error) {
	began, logged, pause := time.Now(), time.Time{}, 100*time.Millisecond
	for {
		opened, err := open(ctx)
		waited := time.Since(began).Round(time.Millisecond)
		switch {
		case err == nil && !logged.IsZero():
			log.Info("the database is there", "waited", waited)
			return opened, nil
		case !sqlstore.IsAbsent(err) || ctx.Err() != nil:
			return opened, err
		case wait == 0:
			return opened, fmt.Errorf("%w (--wait: it was not waited for)", err)
		case waited >= wait:
			return opened, fmt.Errorf("%w (--wait: given up after %v)", err, waited)
		case time.Since(logged) > logEvery:
			logged = time.Now()
			log.Warn("waiting for the database", "waited", waited, "error", err)
		}
		waiting(err)
		select {
		case <-time.After(min(pause/2+rand.N(pause), wait-waited)):
		case <-ctx.Done():
			return opened, ctx.Err()
		}
		pause = min(2*pause, maxPause)
	}
}

// presence is whether the database is there yet.
type presence struct {
	service atomic.Pointer[service.Service] // nil until it is
	reason  atomic.Pointer[error]           // why it is not
	isSlow  bool                            // the log says that it takes long

	log      *slog.Logger
	readOnly atomic.Bool // the log says that it can only be read
}

func (p *presence) waiting(err error) { p.reason.Store(&err) }

func (p *presence) ready(ctx context.Context) error {
	if s := p.service.Load(); s != nil {
		err := s.Ready(ctx)
		p.note(err)
		return err
	}
	if err := p.reason.Load(); err != nil {
		return fmt.Errorf("waiting for it: %w", *err)
	}
	return errors.New("it is being opened")
}

// note logs the beginning and the end of a read-only database.
func (p *presence) note(err error) {
	switch isReadOnly := errors.Is(err, library.ErrReadOnly); {
	case isReadOnly && !p.readOnly.Swap(true):
		p.log.Warn("the database can be read, but not written: changes are refused with 503", "error", err)
	case err == nil && p.readOnly.Swap(false):
		p.log.Info("the database can be written again")
	}
}

// isReadOnly is a metric: 1 if the database can be read, but not written, else 0.
func (p *presence) isReadOnly() float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if errors.Is(p.ready(ctx), library.ErrReadOnly) {
		return 1
	}
	return 0
}

// absentStore is the store until the database is there. Two methods are enough: with
// httpapi.Config.NoDatabase every request first asks for its caller, or for the revision, and is
// refused with the error.
type absentStore struct{ library.Store }

func (absentStore) UserByEmail(context.Context, string) (library.User, library.Revision, error) {
	return library.User{}, library.Revision{}, library.ErrUnavailable
}

func (absentStore) Revision(context.Context) (library.Revision, error) {
	return library.Revision{}, library.ErrUnavailable
}

// migrateConfig configures `library migrate`.
type migrateConfig struct {
	database string
	config   string
	wait     time.Duration
}

func (c *migrateConfig) settings() []setting {
	return []setting{
		{flag: "database", value: "sqlite:library.db", usage: "sqlite:FILE or postgres://USER@HOST/DATABASE", set: database(&c.database)},
		configSetting(&c.config),
		waitSetting(&c.wait, "0s"),
	}
}

func (c *migrateConfig) check() []command.Problem { return nil }

func newMigrate(env command.Environment) *cobra.Command {
	cfg := &migrateConfig{}
	return newConfigured(&cobra.Command{
		Use:   "migrate",
		Short: "Bring the database schema up to date",
		Long: `Bring the database schema up to date.

'library serve' does this at its start, unless it has --migrate=false. It is safe
to run while servers are running, and from several places at once.`,
		Example: `  library migrate --database postgres://library@db/library`,
	}, env, cfg, func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, "text", slog.LevelInfo)
		applied, err := awaitDatabase(cmd.Context(), cfg.wait, log.Logger, func(error) {}, func(ctx context.Context) ([]string, error) {
			return migrate(ctx, cfg.database)
		})
		if err != nil {
			return err
		}
		for _, name := range applied {
			fmt.Fprintln(env.Stdout, "applied", name)
		}
		fmt.Fprintln(env.Stdout, "The database schema is up to date.")
		return nil
	})
}

func migrate(ctx context.Context, database string) ([]string, error) {
	store, err := sqlstore.Open(ctx, database)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	defer store.Close()
	applied, err := store.Migrate(ctx)
	if err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	return applied, nil
}
