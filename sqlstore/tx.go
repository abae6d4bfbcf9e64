package sqlstore

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"time"

	"example.org/library"
)

// tx is the store inside a transaction.
type tx struct {
	dialect  *dialect
	sql      querier
	pipeline *pipeline // set where statements can be sent together
}

var _ library.Tx = (*tx)(nil)

// attempts bounds how often a transaction is run when the database finds that
// it got in the way of others.
const attempts = 10

// Tx runs fn in one transaction, and again when the database asks for that.
func (s *Store) Tx(ctx context.Context, fn func(library.Tx) error) error {
	for attempt := 1; ; attempt++ {
		err := s.try(ctx, fn)
		s.doubt(err)
		if err == nil || attempt == attempts || s.dialect.diagnose(err).kind != tryAgain {
			return err
		}
		// Those who collided must not come back in step.
		pause := time.Duration(attempt) * time.Millisecond
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return dbError(ctx, "repeat transaction", err)
		}
	}
}

func (s *Store) try(ctx context.Context, fn func(library.Tx) error) error {
	if err := s.intact(); err != nil {
		return err
	}
	if s.batches != nil {
		err := s.batches.do(ctx, fn)
		if err == nil {
			s.checkpoints.needed.Store(true)
		}
		return err
	}
	return runPipeline(ctx, s.write, &s.dialect, fn)
}

// runTx runs fn in a transaction of its own, once.
func runTx(ctx context.Context, db *sql.DB, d *dialect, fn func(library.Tx) error) error {
	t, err := db.BeginTx(ctx, nil)
	if err != nil {
		return dbError(ctx, "begin transaction", err)
	}
	// After a commit this does nothing. It is what ends the transaction when
	// fn fails, or panics.
	defer t.Rollback()
	if err := fn(&tx{dialect: d, sql: t}); err != nil {
		return err
	}
	return commitError(ctx, t.Commit())
}

// Lock lets one transaction at a time go on from here.
func (t *tx) Lock(ctx context.Context, l library.Lock) error {
	if t.dialect.advisoryLock == "" {
		return nil
	}
	w := writer{ctx: ctx, tx: t}
	w.exec("wait for a lock", t.dialect.advisoryLock, int(l))
	return w.err
}

// Empty reports whether there is no user and no book at all.
func (t *tx) Empty(ctx context.Context) (noUsers, noBooks bool, err error) {
	found, err := readOne(ctx, t.sql, "look for records", func(r row) (found [2]bool, err error) {
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
