package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"

	"modernc.org/sqlite"
)

// alikeOnSQLite has one connection that writes, for one transaction at a time. It says, as the
// program does, that it publishes what it changes.
func alikeOnSQLite(ctx context.Context, path string) (*alike, error) {
	sqlite.MustRegisterScalarFunction("sqlite_compileoption_used", 1, func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) { return int64(1), nil })
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(1)&_pragma=busy_timeout(10000)")
	if err != nil {
		return nil, err
	}
	conn, err := db.Conn(ctx)
	w := &sqliteWriter{conn: conn, prepared: make(map[string]*sql.Stmt)}
	return &alike{
		invalidate: `INSERT INTO changed_books (books) VALUES ($1)`,
		transact:   func(ctx context.Context, work func(ask) error) error { return w.transact(ctx, work) },
		look: func(ctx context.Context, q question) error {
			rows, err := db.QueryContext(ctx, q.text, q.args...)
			return scanAll(rows, q, err)
		},
	}, err
}

type sqliteWriter struct {
	mu       sync.Mutex
	conn     *sql.Conn
	prepared map[string]*sql.Stmt
}

func (w *sqliteWriter) transact(ctx context.Context, work func(ask) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // SQLite would undo a transaction halfway
	err := w.run(ctx, question{text: `BEGIN IMMEDIATE`})
	if err != nil {
		return err
	}
	err = work(func(_ bool, all ...question) error {
		for _, q := range all {
			if err := w.run(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = w.run(ctx, question{text: `COMMIT`})
	}
	if err != nil {
		w.run(ctx, question{text: `ROLLBACK`})
	}
	return err
}

func (w *sqliteWriter) run(ctx context.Context, q question) (err error) {
	s := w.prepared[q.text]
	if s == nil {
		if s, err = w.conn.PrepareContext(ctx, q.text); err != nil {
			return err
		}
		w.prepared[q.text] = s
	}
	if q.scan == nil {
		_, err := s.ExecContext(ctx, q.args...)
		return err
	}
	rows, err := s.QueryContext(ctx, q.args...)
	return scanAll(rows, q, err)
}

func scanAll(rows *sql.Rows, q question, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := q.scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
