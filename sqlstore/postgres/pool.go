package postgres

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// pool is the connections to a server. What is read through it is read again when the connection is lost.
type pool struct{ *sql.DB }

// Read reads outside a transaction.
func (p *pool) Read(ctx context.Context, r engine.Reading) error {
	if library.StoreTimeout(ctx) > statementTimeout {
		return p.ask(ctx, r, (*conn).askLong)
	}
	return p.ask(ctx, r, (*conn).ask)
}

// ReadPlanned reads by a plan made once. It takes PostgreSQL longer to plan a
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

// attempts bounds the attempts when transactions get in the way of others.
const attempts = 10

// retry runs do until it succeeds, or fails for a lasting reason, or the caller's
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

// pauseAfter returns the pause before the next attempt, 0 if it is not to be run again.
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

// KeepPlans keeps the planner from planning anew each time, and from reading whole tables until the end of the
// transaction: a plan that was made when a table was small would not do any more when it has grown.
const KeepPlans = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
	set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
	set_config('enable_bitmapscan', 'off', true), set_config('enable_material', 'off', true)`

// ask sends one statement alone.
func (c *conn) ask(ctx context.Context, r engine.Reading) error {
	c.cancels.allow(true)
	rows, err := c.Conn.Conn().Query(ctx, r.Text, r.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return r.Scan(rows)
}

// askLong sends a statement with more time than the others of a session: as long as its caller waits.
func (c *conn) askLong(ctx context.Context, r engine.Reading) error {
	end, _ := ctx.Deadline()
	left := max(time.Until(end), time.Millisecond)
	return pgx.BeginFunc(ctx, c.Conn.Conn(), func(t pgx.Tx) error {
		if _, err := t.Exec(ctx, `SELECT set_config('statement_timeout', $1, true)`, strconv.FormatInt(left.Milliseconds(), 10)); err != nil {
			return err
		}
		return c.ask(ctx, r)
	})
}

// askPlanned sends a statement together with KeepPlans. One round trip is a transaction.
func (c *conn) askPlanned(ctx context.Context, r engine.Reading) (err error) {
	var batch pgx.Batch
	batch.Queue(KeepPlans)
	batch.Queue(r.Text, r.Args...)
	c.cancels.allow(true)
	results := c.Conn.Conn().SendBatch(ctx, &batch)
	defer func() {
		if closed := results.Close(); err == nil {
			err = closed
		}
	}()
	if _, err := results.Exec(); err != nil {
		return err
	}
	return readResult(results, r)
}

// How long things may take on a broken server: locked, frozen, cut off, or gone. See also [engine.UsualTimeout].
const (
	// afterHangUp is the rest of the time of a statement after its caller has gone. To cancel it
	// costs its connection, and most end sooner than a new one is made.
	afterHangUp = time.Second
	// commitTimeout is how long a transaction waits for the answer to its COMMIT, at least: without the answer the
	// outcome is unknown. It is more than the lock_timeout of a session, so the server refuses a lock.
	commitTimeout = 1500 * time.Millisecond
	// openTimeout is for the first connection to a silent server.
	openTimeout = 10 * time.Second
	// connectTimeout is for a new connection, pingTimeout for one after a time of
	// idleness, rollbackTimeout for the end of an abandoned transaction.
	connectTimeout  = 2 * time.Second
	pingTimeout     = time.Second
	rollbackTimeout = time.Second
)

// detached returns the context of the statements of a caller. It ends with
// the caller's timeout, and some time after the caller has gone.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), engine.Timeout(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(afterHangUp):
			cancel()
		case <-own.Done():
		}
	})
	return own, func() { stop(); cancel() }
}

// until returns a caller's context with the timeout of own, too. It is for
// waiting: a caller who has gone waits for nothing.
func until(ctx, own context.Context) (context.Context, context.CancelFunc) {
	end, _ := own.Deadline()
	return context.WithDeadline(context.WithValue(ctx, endKey{}, end), end)
}

type endKey struct{}

// uncancelled goes on when the caller of until has gone, but not past the end of its timeout.
func uncancelled(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	end := time.Now().Add(most)
	if own, ok := ctx.Value(endKey{}).(time.Time); ok && own.Before(end) {
		end = own
	}
	return context.WithDeadline(context.WithoutCancel(ctx), end)
}
