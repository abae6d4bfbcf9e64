package sqlite

import (
	"context"
	"database/sql"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// tx is a transaction. It is alone in the database, so that it locks nothing.
type tx struct{ engine.Querier }

var _ engine.Tx = (*tx)(nil)

// runTx runs fn in a transaction of its own, once.
func runTx(ctx context.Context, db *sql.DB, p *publishing, fn func(engine.Tx) error) error {
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return Error(ctx, "begin transaction", err)
	}
	// After a commit this does nothing. It is what ends the transaction when
	// fn fails, or panics.
	defer t.Rollback()
	if err := p.run(fn, &tx{t}); err != nil {
		return err
	}
	return Error(ctx, "commit transaction", t.Commit())
}

// Invalidate adds a row to the changed books.
func (t *tx) Invalidate(ctx context.Context, books string) error {
	_, err := t.ExecContext(ctx, `INSERT INTO changed_books (books) VALUES ($1)`, books)
	return Error(ctx, "invalidate", err)
}

// Dialect is the SQL of SQLite.
func (t *tx) Dialect() *engine.Dialect { return dialect }

func (t *tx) Read(ctx context.Context, r engine.Reading) error {
	return engine.Ask(ctx, t.Querier, r, unavailable)
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
