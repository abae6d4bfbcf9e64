package sqlite

import (
	"context"
	"database/sql/driver"
	"io"
)

// stmtCacheConnector is a SQLite driver with connections that keep their statements prepared. The PostgreSQL driver
// does this anyway; here, parsing would take longer than looking up a book.
//
// database/sql has prepared statements too, but they cannot be made while the
// only writing connection is in a transaction.
type stmtCacheConnector struct {
	driver.Connector
	notice func(error) // gets every error; nil if nobody wants them
}

func (c stmtCacheConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &stmtCacheConn{sqliteConn: conn.(sqliteConn), idle: make(map[string]preparedStmt), notice: c.notice}, nil
}

// sqliteConn is what database/sql finds in a connection of the driver.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

type preparedStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// maxPrepared bounds the statements of a connection. The hot ones are
// a dozen; the lists with all their filters are more than anybody uses.
const maxPrepared = 128

type stmtCacheConn struct {
	sqliteConn
	idle   map[string]preparedStmt // those that are not running now
	notice func(error)
}

// take returns an idle statement: two that run at the same time, on one connection, are prepared twice.
func (c *stmtCacheConn) take(ctx context.Context, query string) (preparedStmt, error) {
	if s, ok := c.idle[query]; ok {
		delete(c.idle, query)
		return s, nil
	}
	s, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.(preparedStmt), nil
}

func (c *stmtCacheConn) giveBack(query string, s preparedStmt) error {
	if _, ok := c.idle[query]; ok {
		return s.Close()
	}
	if len(c.idle) >= maxPrepared {
		c.dropAny()
	}
	c.idle[query] = s
	return nil
}

// dropAny drops one. A statement in constant use will be back.
func (c *stmtCacheConn) dropAny() {
	for query, s := range c.idle {
		s.Close()
		delete(c.idle, query)
		return
	}
}

func (c *stmtCacheConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, c.noticed(err)
	}
	result, err := s.ExecContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, c.noticed(err)
	}
	return result, c.giveBack(query, s)
}

func (c *stmtCacheConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, query)
	if err != nil {
		return nil, c.noticed(err)
	}
	rows, err := s.QueryContext(ctx, args)
	if err != nil {
		s.Close()
		return nil, c.noticed(err)
	}
	return &preparedRows{Rows: rows, conn: c, query: query, stmt: s}, nil
}

// noticed is the error, after it was passed on.
func (c *stmtCacheConn) noticed(err error) error {
	if c.notice != nil {
		c.notice(err)
	}
	return err
}

func (c *stmtCacheConn) Close() error {
	for _, s := range c.idle {
		s.Close()
	}
	return c.sqliteConn.Close()
}

// preparedRows gives the statement back when the rows have been read.
type preparedRows struct {
	driver.Rows
	conn  *stmtCacheConn
	query string
	stmt  preparedStmt
}

func (r *preparedRows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err != nil && err != io.EOF {
		return r.conn.noticed(err)
	}
	return err
}

func (r *preparedRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		r.stmt.Close()
		return err
	}
	return r.conn.giveBack(r.query, r.stmt)
}
