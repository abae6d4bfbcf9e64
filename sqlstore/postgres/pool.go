package postgres

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// pool is the connections to a server. What is read through it is read again when the
// connection is lost.
type pool struct{ *sql.DB }

// Read reads outside a transaction.
func (p *pool) Read(ctx context.Context, r engine.Reading) error {
	if library.StoreTimeout(ctx) > statementTimeout {
		return p.ask(ctx, r, (*conn).askLong)
	}
	return p.ask(ctx, r, (*conn).ask)
}

// ReadPlanned reads by a plan that is made once. It takes PostgreSQL longer to plan a
// statement about many tables than to read a few records from each.
func (p *pool) ReadPlanned(ctx context.Context, r engine.Reading) error {
	return p.ask(ctx, r, (*conn).askPlanned)
}

func (p *pool) ask(ctx context.Context, r engine.Reading, ask func(*conn, context.Context, engine.Reading) error) error {
	return retry(ctx, func(own context.Context) error {
		c, err := p.connect(ctx, own)
		if err != nil {
			return Error(ctx, r.Doing, err)
		}
		defer c.Close()
		return Error(ctx, r.Doing, c.Raw(func(c any) error { return ask(c.(*conn), own, r) }))
	})
}

// connect waits for a connection as long as the caller is there.
func (p *pool) connect(ctx, own context.Context) (*sql.Conn, error) {
	waiting, cancel := until(ctx, own)
	defer cancel()
	return p.Conn(waiting)
}

// attempts bounds how often something is run when the database finds that it got
// in the way of others.
const attempts = 10

// retry runs do until it succeeds, or fails for a reason that stays, or the caller's
// timeout is over. The context of do is for its statements.
func retry(ctx context.Context, do func(own context.Context) error) error {
	own, cancel := detached(ctx)
	defer cancel()
	for attempt := 1; ; attempt++ {
		err := do(own)
		pause := pauseAfter(err, attempt)
		if pause == 0 {
			return err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)): // those who collided must not come back in step
		case <-ctx.Done():
			return Error(ctx, "try again", err)
		case <-own.Done():
			return err
		}
	}
}

// pauseAfter is how long to wait before what has failed is run again, 0 if it is not
// to be run again.
func pauseAfter(err error, attempt int) time.Duration {
	if err == nil || errors.Is(err, library.ErrOutcomeUnknown) {
		return 0
	}
	switch diagnose(err).Kind {
	case engine.TryAgain:
		if attempt < attempts {
			return time.Duration(attempt) * time.Millisecond
		}
	case engine.LockTimeout: // it has waited already
		return time.Millisecond
	case engine.ConnectionLost:
		return 30 * time.Millisecond
	}
	return 0
}
