package postgres

import (
	"context"
	"errors"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// The statements that find out whether the database can be used. What they change is
// never read.
const (
	isReadOnly = `current_setting('transaction_read_only') = 'on'`
	writeProbe = `UPDATE revision SET changes = changes WHERE part = 0`
)

// Ready says why the database cannot be used now.
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
		return errors.New("the database is read-only; it may be a standby server")
	}
	if err := e.standby.ready(ctx, e.doubtful.Load()); err != nil {
		return err
	}
	if !e.doubtful.Load() {
		return nil
	}
	return e.tryToWrite(ctx)
}

// tryToWrite ends the doubt after a write that has failed.
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
