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

	"example.org/library"
	"example.org/library/sample"
	"example.org/library/service"
	"example.org/library/sqlstore"
)

// openStore opens the database and brings its schema up to date, or makes sure
// that it is.
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
	if err := service.New(store).Prepare(ctx, setup); err != nil {
		store.Close()
		return nil, fmt.Errorf("--sample-data, --bootstrap-user: %w", err)
	}
	sayWhoBegins(ctx, cfg, store, wasEmpty, log)
	return store, nil
}

// samples is what an empty library is filled with, nil for nothing.
func (cfg *serveConfig) samples() service.Samples {
	switch {
	case !cfg.sampleData:
		return nil
	case cfg.secondShelf:
		return sample.Lending
	}
	return sample.Basic
}

// longOpening is after how long callers get 503, because the database is not open yet.
// Usually it takes a fraction of that; a migration may take minutes, and health checks
// must not take the program for dead.
const longOpening = 5 * time.Second

// openLibrary opens the database. If it is not there or takes long, it calls begin, after
// which callers get 503 until p.open.
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
}

func (p *presence) waiting(err error) { p.reason.Store(&err) }

// ready reports whether the library can answer now.
func (p *presence) ready(ctx context.Context) error {
	if s := p.service.Load(); s != nil {
		return s.Ready(ctx)
	}
	if err := p.reason.Load(); err != nil {
		return fmt.Errorf("waiting for it: %w", *err)
	}
	return errors.New("it is being opened")
}

// absentStore is the store until the database is there. It has no other methods than
// these: with httpapi.Config.NoDatabase every request asks first who is calling, or for the
// revision if that is nobody, and is refused with the error that it gets.
type absentStore struct{ library.Store }

func (absentStore) UserByEmail(context.Context, string) (library.User, library.Revision, error) {
	return library.User{}, library.Revision{}, library.ErrUnavailable
}

func (absentStore) Revision(context.Context) (library.Revision, error) {
	return library.Revision{}, library.ErrUnavailable
}
