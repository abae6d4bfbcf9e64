package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Dialect is the SQL of SQLite.
func (e *Engine) Dialect() *engine.Dialect { return dialect }

// Read reads outside a transaction.
func (e *Engine) Read(ctx context.Context, r engine.Reading) error {
	return engine.Ask(ctx, e.read, r, unavailable)
}

// ReadPlanned is Read: all statements stay prepared, with their plans.
func (e *Engine) ReadPlanned(ctx context.Context, r engine.Reading) error { return e.Read(ctx, r) }

// Tx runs fn in one transaction.
func (e *Engine) Tx(ctx context.Context, fn func(engine.Tx) error) error {
	err := sameFile(e.path, e.opened)
	if err == nil {
		err = e.batches.do(ctx, fn)
	}
	if err == nil {
		e.checkpoints.needed.Store(true)
	}
	e.doubt(err)
	return err
}

// doubt remembers a failed write, because of the database and not because of its content.
func (e *Engine) doubt(err error) {
	if errors.Is(err, library.ErrUnavailable) {
		e.doubtful.Store(true)
	}
}

// Direct is the writing connection.
func (e *Engine) Direct() engine.Direct { return engine.Direct{DB: e.write, Reader: reader{e.write}} }

// reader reads by other connections than the pool for reading.
type reader struct{ engine.Querier }

func (r reader) Read(ctx context.Context, reading engine.Reading) error {
	return engine.Ask(ctx, r.Querier, reading, unavailable)
}

// Revision looks at the file.
func (e *Engine) Revision(ctx context.Context) (library.Revision, error) {
	return e.revision.current(ctx)
}

// EventsWaitFor is nothing: transactions run one at a time.
func (e *Engine) EventsWaitFor(context.Context) (engine.Waiting, error) { return engine.Waiting{}, nil }

// Ready says why the database cannot be used now. The error is library.ErrReadOnly if it can be read.
func (e *Engine) Ready(ctx context.Context, tables string) error {
	if err := sameFile(e.path, e.opened); err != nil {
		return err
	}
	if err := e.damage.found(e.read); err != nil {
		return Error(ctx, "read", err)
	}
	ctx = library.WithStoreTimeout(ctx, engine.ReadyTimeout)
	if err := e.Read(ctx, engine.Reading{Doing: "ping", Text: tables, Scan: engine.None}); err != nil {
		return err
	}
	if _, err := e.Revision(ctx); err != nil {
		return err
	}
	if err := e.batches.isHeld(); err != nil {
		return engine.ReadOnly(Error(ctx, "write", err))
	}
	if !e.doubtful.Load() && !isDiskSuspect(e.path) {
		return nil
	}
	return engine.ReadOnly(e.tryToWrite(ctx))
}

// tryToWrite ends the doubt after a failed write. It writes an unused number in the header of the file, with its
// present value: the file is written nevertheless.
func (e *Engine) tryToWrite(ctx context.Context) error {
	if err := hasFreeSpace(e.path); err != nil {
		return err
	}
	if _, err := e.write.ExecContext(ctx, `PRAGMA user_version = 0`); err != nil {
		return Error(ctx, "try to write", err)
	}
	e.doubtful.Store(false)
	return nil
}

// MaxReads leaves connections for short questions about callers.
func (e *Engine) MaxReads() int { return max(e.read.Stats().MaxOpenConnections-2, 2) }

// Stats counts all connections.
func (e *Engine) Stats() sql.DBStats { return engine.SumStats(e.read.Stats(), e.write.Stats()) }

// Close ends all connections, after the statements under way.
func (e *Engine) Close() error {
	return errors.Join(e.checkpoints.Close(), e.read.Close(), e.write.Close(), e.revision.Close())
}
