package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// cancelGuard says whether a cancel request may be sent for a connection. The driver
// sends one whenever it gives a connection up.
//
// This is right for a statement that reads, or waits for a lock. But a COMMIT that waits for a synchronous standby
// cannot be cancelled: the server ends the wait instead, and makes visible what no standby has. A failover would lose
// it. Without a cancel request the server goes on waiting, and nobody sees the change unless the standby has it.
type cancelGuard struct {
	isMade    atomic.Bool // the connection is there; before, the driver dials to make it
	isAllowed atomic.Bool // set before each use of the connection; not allowed unless somebody says so
	isLocal   atomic.Bool // somebody else has ended the wait: the standby may not have what was committed since
}

// guard makes the driver's dial fail for a forbidden cancel request: it is
// the one place on the way of all cancel requests of the driver.
func (c *cancelGuard) guard(config *pgx.ConnConfig) {
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if c.isMade.Load() && !c.isAllowed.Load() {
			return nil, errNotCancelled
		}
		return dial(ctx, network, address)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Routine == "SyncRepWaitForLSN" { // what it says depends on the language of the server
			c.isLocal.Store(true)
		}
	}
}

var errNotCancelled = errors.New("sqlstore: a transaction that may be committing is not cancelled")

// connected is called when the connection is there.
func (c *cancelGuard) connected() { c.isMade.Store(true) }

// allow is called before something is sent. A possible commit is not cancelled.
func (c *cancelGuard) allow(is bool) {
	c.isAllowed.Store(is)
	c.isLocal.Store(false)
}

var (
	_ driver.ExecerContext  = (*conn)(nil)
	_ driver.QueryerContext = (*conn)(nil)
	_ driver.ConnBeginTx    = (*conn)(nil)
)

// ExecContext runs a statement. Outside a transaction it is committed at once.
func (c *conn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	c.cancels.allow(c.Conn.Conn().PgConn().TxStatus() == 'T')
	return c.Conn.ExecContext(ctx, text, args)
}

// QueryContext only reads, or is inside a transaction.
func (c *conn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	c.cancels.allow(true)
	return c.Conn.QueryContext(ctx, text, args)
}

// BeginTx is for migrations; others have a pipeline.
func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	t, err := c.Conn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return migrationTx{t, c.cancels}, nil
}

type migrationTx struct {
	driver.Tx
	cancels *cancelGuard
}

func (t migrationTx) Commit() error {
	t.cancels.allow(false)
	return t.Tx.Commit()
}

// SingleConn is a connection outside the pool, for a dump or a restore.
type SingleConn struct {
	*pgx.Conn
	cancels *cancelGuard
}

// ConnectOnce makes a connection under the name of an application.
func ConnectOnce(ctx context.Context, address, application string) (*SingleConn, error) {
	config, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = application
	cancels := new(cancelGuard)
	cancels.guard(config)
	cancels.allow(true)
	c, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, Error(ctx, "connect to PostgreSQL", err)
	}
	cancels.connected()
	return &SingleConn{c, cancels}, nil
}

// Commit is not cancelled.
func (c *SingleConn) Commit(ctx context.Context) (pgconn.CommandTag, error) {
	c.cancels.allow(false)
	return c.Exec(ctx, `COMMIT`)
}
