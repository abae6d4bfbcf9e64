package sqlite

import (
	"context"
	"database/sql"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// tx is a transaction. It is alone in the database, so it locks nothing.
//
// It is a connection and not a sql.Tx, which starts a goroutine for every statement. A statement is not interrupted when
// its caller goes away: SQLite would undo the whole transaction, which may be that of others, too. The next one is not
// begun.
type tx struct {
	conn    *sql.Conn
	changed bool // something was written, or tried to be
}

var _ engine.Tx = (*tx)(nil)

// transaction runs fn in a transaction on the only connection of a pool, and commits unless fn fails or ends its
// goroutine.
func transaction(ctx context.Context, db *sql.DB, fn func(*tx) error) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return Error(ctx, "begin transaction", err)
	}
	defer conn.Close()
	t := &tx{conn: conn}
	if err := t.control(`BEGIN IMMEDIATE`); err != nil {
		return Error(ctx, "begin transaction", err)
	}
	committed := false
	defer func() {
		if !committed {
			t.control(`ROLLBACK`)
		}
	}()
	if err := fn(t); err != nil {
		return err
	}
	err = t.control(`COMMIT`)
	committed = err == nil
	return Error(ctx, "commit transaction", err)
}

// control begins or ends a transaction.
func (t *tx) control(text string) error {
	_, err := t.conn.ExecContext(context.Background(), text)
	return err
}

// Dialect is the SQL of SQLite.
func (t *tx) Dialect() *engine.Dialect { return dialect }

// ExecContext runs a change.
func (t *tx) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	t.changed = true
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return t.conn.ExecContext(context.WithoutCancel(ctx), text, args...)
}

func (t *tx) Read(ctx context.Context, r engine.Reading) error {
	if err := ctx.Err(); err != nil {
		return Error(ctx, r.Doing, err)
	}
	return engine.Ask(context.WithoutCancel(ctx), t.conn, r, unavailable)
}

func (t *tx) ReadAll(ctx context.Context, readings []engine.Reading) error {
	for _, r := range readings {
		if err := t.Read(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// Write runs a statement at once.
func (t *tx) Write(ctx context.Context, s engine.Statement) error {
	result, err := t.ExecContext(ctx, s.Text, s.Args...)
	if err == nil && s.NotFound != nil {
		n, counted := result.RowsAffected()
		if err = counted; err == nil && n != 1 {
			err = s.NotFound
		}
	}
	return s.Explain(ctx, dialect, s.Doing, s.NotFound, err)
}

// Lock has nothing to wait for.
func (t *tx) Lock(context.Context, library.Lock) error { return nil }

func (t *tx) ClaimKey(ctx context.Context, key library.Digest, after int64) error {
	taken, err := engine.ReadOne(ctx, t, "claim key", engine.ScanBool,
		`SELECT EXISTS (SELECT 1 FROM idempotency_keys WHERE key = $1 AND created_at > $2)`, key[:], after)
	if err == nil && taken {
		err = library.ErrKeyInUse
	}
	return err
}

// WaitInLine has nothing to wait for.
func (t *tx) WaitInLine(context.Context, library.Load) error { return nil }
