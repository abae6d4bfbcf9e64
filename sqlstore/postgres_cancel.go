package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// canceller says whether the server may be asked to stop what it does for a
// connection. The driver asks so whenever it gives a connection up.
//
// That is right for a statement that reads, or waits for a lock. But a COMMIT that waits
// for a synchronous standby cannot be stopped: the server ends the wait instead, and
// shows to everybody what no standby has. After a failover it never was. Left alone, the server
// process goes on waiting, and nobody sees the change unless the standby has it.
type canceller struct {
	isMade    atomic.Bool // the connection is there; before, the driver dials to make it
	isAllowed atomic.Bool // set before each use of the connection; not allowed unless somebody says so
	isLocal   atomic.Bool // somebody else has ended the wait: the standby may not have what was committed since
}

// guard has the driver fail to dial when it wants to cancel what it must not: there is no
// other place by which all of its ways to a cancel request lead.
func (c *canceller) guard(config *pgx.ConnConfig) {
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

// allow is called before something is sent. What may commit is not cancelled.
func (c *canceller) allow(is bool) {
	c.isAllowed.Store(is)
	c.isLocal.Store(false)
}

var (
	_ driver.ExecerContext  = (*postgresConn)(nil)
	_ driver.QueryerContext = (*postgresConn)(nil)
	_ driver.ConnBeginTx    = (*postgresConn)(nil)
)

// ExecContext runs a statement, which is committed at once outside a transaction.
func (c *postgresConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	c.cancels.allow(c.Conn.Conn().PgConn().TxStatus() == 'T')
	return c.Conn.ExecContext(ctx, text, args)
}

// QueryContext only reads, or is inside a transaction.
func (c *postgresConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	c.cancels.allow(true)
	return c.Conn.QueryContext(ctx, text, args)
}

// BeginTx is for migrations; others have a pipeline.
func (c *postgresConn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	t, err := c.Conn.BeginTx(ctx, options)
	if err != nil {
		return nil, err
	}
	return postgresTx{t, c.cancels}, nil
}

type postgresTx struct {
	driver.Tx
	cancels *canceller
}

func (t postgresTx) Commit() error {
	t.cancels.allow(false)
	return t.Tx.Commit()
}
