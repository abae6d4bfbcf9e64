package postgres

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// The statements of readiness probes. Their change is never read.
const (
	isReadOnly = `current_setting('transaction_read_only') = 'on'`
	writeProbe = `UPDATE revision SET changes = changes WHERE part = 0`
)

// Ready says why the database cannot be used now. The error is library.ErrReadOnly if it can be read.
func (e *Engine) Ready(ctx context.Context, tables string) error {
	ctx = library.WithStoreTimeout(ctx, engine.ReadyTimeout)
	readOnly, err := engine.ReadOne(ctx, e.pool, "ping", func(r engine.Row) (readOnly bool, err error) {
		var hasUsers, hasMore bool
		err = r.Scan(&hasUsers, &hasMore, &readOnly)
		return readOnly, err
	}, tables+`, `+isReadOnly)
	if err == nil {
		_, err = e.Revision(ctx)
	}
	switch {
	case err != nil:
		return err
	case readOnly:
		return engine.ReadOnly(errors.New("the database is read-only; it may be a standby server"))
	}
	err = e.standby.ready(ctx, e.doubtful.Load())
	switch {
	case errors.Is(err, errUnconfirmed):
		return engine.ReadOnly(err)
	case err != nil:
		return err
	case !e.doubtful.Load():
		return nil
	}
	return engine.ReadOnly(e.tryToWrite(ctx))
}

// tryToWrite ends the doubt after a failed write.
func (e *Engine) tryToWrite(ctx context.Context) error {
	if err := e.hasFreeSpace(ctx); err != nil {
		return err
	}
	err := retry(ctx, func(own context.Context) error {
		_, err := e.pool.ExecContext(own, writeProbe)
		return Error(ctx, "try to write", err)
	})
	if err != nil {
		e.standby.giveUp()
		return err
	}
	e.doubtful.Store(false)
	return nil
}

// spaceProbe makes a table of some pages and drops it. Nobody else ever sees it.
const spaceProbe = `CREATE TEMPORARY TABLE room ON COMMIT DROP AS SELECT repeat('x', 1000) FROM generate_series(1, 100)`

// hasFreeSpace finds out whether the disk of the server has space for changes. The pages of our tables may have some
// left inside, so a small write would succeed on a full disk. Other faults are found by a write to the tables.
func (e *Engine) hasFreeSpace(ctx context.Context) error {
	own, cancel := detached(ctx)
	defer cancel()
	_, err := e.pool.ExecContext(own, spaceProbe)
	var refused *pgconn.PgError
	isRefused := errors.As(err, &refused)
	if err == nil || isRefused && refused.Code != "53100" {
		return nil
	}
	if !isRefused {
		e.standby.giveUp() // it is a commit, too
	}
	return Error(ctx, "try to write", err)
}

// EventsWaitFor returns the transaction that keeps changes from being published.
func (e *Engine) EventsWaitFor(ctx context.Context) (engine.Waiting, error) {
	w, err := engine.ReadOne(ctx, e.pool, "look for what events wait for", scanWaiting, eventsWaitFor)
	if errors.Is(err, sql.ErrNoRows) {
		return engine.Waiting{}, nil
	}
	return w, err
}

// eventsWaitFor finds the oldest open transaction, if there are newer changes: it holds back their events. Of sessions
// of other roles the server may show the number alone.
const eventsWaitFor = `
	SELECT t.xid::text::bigint, t.pid, coalesce(t.datname, ''), coalesce(t.usename, ''), coalesce(t.application_name, ''),
		coalesce(t.state, ''), coalesce(extract(epoch FROM clock_timestamp() - t.since), 0)::float8
	FROM (
		SELECT backend_xid AS xid, pid, datname, usename, application_name, state, xact_start AS since
		FROM pg_stat_activity WHERE backend_xid IS NOT NULL
		UNION ALL
		SELECT transaction, 0, database, owner, gid, 'prepared', prepared FROM pg_prepared_xacts
	) AS t
	WHERE EXISTS (SELECT 1 FROM changes WHERE NOT ` + settled + `)
	ORDER BY age(t.xid) DESC LIMIT 1`

func scanWaiting(r engine.Row) (engine.Waiting, error) {
	var w engine.Waiting
	var seconds float64
	err := r.Scan(&w.Transaction, &w.PID, &w.Database, &w.User, &w.Application, &w.State, &seconds)
	w.For = time.Duration(seconds * float64(time.Second))
	return w, err
}
