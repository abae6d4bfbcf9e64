package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// tx is a transaction. It is alone in the database, so that it locks nothing.
//
// It goes around database/sql, which starts a goroutine for every statement of a
// transaction. A statement is not interrupted when its caller goes away: SQLite would undo
// the whole transaction, which may be that of others, too. The next one is not begun.
type tx struct {
	conn    *stmtCacheConn
	changed bool // something was written, or tried to be
}

var _ engine.Tx = (*tx)(nil)

// transaction runs fn in a transaction on the only connection of a pool, and commits
// unless fn fails or ends its goroutine.
func transaction(ctx context.Context, db *sql.DB, fn func(*tx) error) error {
	c, err := db.Conn(ctx)
	if err != nil {
		return Error(ctx, "begin transaction", err)
	}
	defer c.Close()
	return c.Raw(func(raw any) error {
		t := &tx{conn: raw.(*stmtCacheConn)}
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
		err := t.control(`COMMIT`)
		committed = err == nil
		return Error(ctx, "commit transaction", err)
	})
}

// control runs a statement that begins or ends something.
func (t *tx) control(text string) error {
	_, err := t.conn.ExecContext(context.Background(), text, nil)
	return err
}

// ExecContext runs a statement that changes something.
func (t *tx) ExecContext(ctx context.Context, text string, args ...any) (sql.Result, error) {
	t.changed = true
	values, err := namedValues(ctx, args)
	if err != nil {
		return nil, err
	}
	return t.conn.ExecContext(context.Background(), text, values)
}

// namedValues are the arguments of a statement as a driver takes them, if its caller is
// still there.
func namedValues(ctx context.Context, args []any) ([]driver.NamedValue, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	values := make([]driver.NamedValue, len(args))
	for i, a := range args {
		v, err := driver.DefaultParameterConverter.ConvertValue(a)
		if err != nil {
			return nil, err
		}
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return values, nil
}

// Dialect is the SQL of SQLite.
func (t *tx) Dialect() *engine.Dialect { return dialect }

func (t *tx) Read(ctx context.Context, r engine.Reading) error {
	values, err := namedValues(ctx, r.Args)
	if err != nil {
		return Error(ctx, r.Doing, err)
	}
	rows, err := t.conn.QueryContext(context.Background(), r.Text, values)
	if err != nil {
		return Error(ctx, r.Doing, err)
	}
	defer rows.Close()
	return Error(ctx, r.Doing, r.Scan(&records{rows: rows, values: make([]driver.Value, len(rows.Columns()))}))
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

// JoinGroup and Decide report that there is no group: what is committed at once is
// decided one after the other.
func (t *tx) JoinGroup(context.Context, library.Load) (library.User, *library.Circulation, bool, error) {
	return library.User{}, nil, false, nil
}

func (t *tx) Decide(library.Decision) (bool, error) { return false, nil }
