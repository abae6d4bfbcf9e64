package sqlstore

import (
	"context"
	"database/sql"
	"strconv"

	"example.org/library"
)

// tx is the store inside a transaction.
type tx struct {
	dialect  *dialect
	sql      querier
	pipeline *pipeline // set where statements can be sent together
	member   *member   // set where it may be run together with others
}

var _ library.Tx = (*tx)(nil)

// Tx runs fn in one transaction, and again when the database asks for that, or
// when the connection was lost before COMMIT was sent.
func (s *Store) Tx(ctx context.Context, fn func(library.Tx) error) error {
	return s.write.persist(ctx, func(own context.Context) error {
		err := s.try(ctx, own, fn)
		s.doubt(err)
		return err
	})
}

// try runs fn in one transaction, once. Its statements have a context of their own.
func (s *Store) try(ctx, own context.Context, fn func(library.Tx) error) error {
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
	return s.groups.do(ctx, own, fn)
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
	return dbError(ctx, "commit transaction", t.Commit())
}

// Lock lets one transaction at a time go on from here.
func (t *tx) Lock(ctx context.Context, l library.Lock) error {
	if t.dialect.advisoryLock == "" {
		return nil
	}
	if err := t.takeTurns(ctx, turn{"lock " + strconv.Itoa(int(l)), 1}); err != nil {
		return err
	}
	w := writer{ctx: ctx, tx: t}
	if l == library.PolicyLock {
		// Each loan and each hold begins with a lock on its book, and reads the policy
		// after that.
		w.exec("wait for those who lend", `LOCK TABLE books IN EXCLUSIVE MODE`)
	} else {
		w.exec("wait for a lock", t.dialect.advisoryLock, int(l))
	}
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
