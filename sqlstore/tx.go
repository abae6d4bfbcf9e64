package sqlstore

import (
	"context"
	"database/sql"
	"sync/atomic"

	"example.org/library"
	"example.org/library/sqlstore/engine"
	"example.org/library/sqlstore/outbox"
)

// tx is the store inside a transaction.
type tx struct {
	*outbox.Tx
	dialect *engine.Dialect
	sql     engine.Tx
	changes changes

	unlimited *atomic.Bool // of the store
}

var _ library.Tx = (*tx)(nil)

// Tx runs fn in one transaction, and again when the database asks for that, or
// when the connection was lost before COMMIT was sent. What it has changed is published
// with it.
func (s *Store) Tx(ctx context.Context, fn func(library.Tx) error) error {
	return s.inTx(ctx, func(t *tx) error { return fn(t) })
}

func (s *Store) inTx(ctx context.Context, fn func(*tx) error) error {
	return s.db.Tx(ctx, func(sql engine.Tx) error {
		t := &tx{dialect: s.dialect, sql: sql, unlimited: &s.unlimited}
		t.Tx = outbox.NewTx(sql, func() { t.changes.past = true })
		if err := fn(t); err != nil {
			return err
		}
		w := writer{ctx: ctx, tx: sql}
		t.changes.publish(&w)
		return w.err
	})
}

// Lock lets one transaction at a time go on from here.
func (t *tx) Lock(ctx context.Context, l library.Lock) error { return t.sql.Lock(ctx, l) }

// Empty reports whether there is no user and no book at all.
func (t *tx) Empty(ctx context.Context) (noUsers, noBooks bool, err error) {
	found, err := engine.ReadOne(ctx, t.sql, "look for records", func(r engine.Row) (found [2]bool, err error) {
		err = r.Scan(&found[0], &found[1])
		return found, err
	}, `SELECT EXISTS (SELECT 1 FROM users), EXISTS (SELECT 1 FROM books)`)
	return !found[0], !found[1], err
}

// expectOne is notFound unless a statement changed exactly one record.
func expectOne(result sql.Result, notFound error) error { return expect(result, 1, notFound) }

// expect is notFound unless a statement changed as many records as it should.
func expect(result sql.Result, want int, notFound error) error {
	n, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if n != int64(want) {
		return notFound
	}
	return nil
}
