package postgres

import (
	"context"
	"database/sql/driver"
	"net"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// connector makes the connections of the pool.
type connector struct {
	direct, pooled pgx.ConnConfig
	timeout        time.Duration // for all servers of the address together
	isPooled       atomic.Bool   // what the last connection has shown
}

// newConnector keeps statements prepared on each connection, but not on those of a pooler such as PgBouncer: behind it
// each transaction may meet another server process.
func newConnector(config pgx.ConnConfig) *connector {
	// A dead and silent connection is noticed within some twenty seconds even if nobody uses it.
	dialer := net.Dialer{KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 3 * time.Second, Count: 3}}
	config.DialFunc = dialer.DialContext
	c := &connector{direct: config, pooled: config, timeout: config.ConnectTimeout * time.Duration(1+len(config.Fallbacks))}
	c.pooled.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	return c
}

// Connect makes a connection, although its caller may go meanwhile: somebody else will need one.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := uncancelled(ctx, c.timeout)
	defer cancel()
	wasPooled := c.isPooled.Load()
	made, err := c.connect(ctx, wasPooled)
	if err == nil && made.isPooled && !wasPooled {
		c.isPooled.Store(true)
		made.Close()
		made, err = c.connect(ctx, true)
	}
	if err != nil {
		return nil, err // and not a nil of a type
	}
	return made, nil
}

func (c *connector) connect(ctx context.Context, isPooled bool) (*conn, error) {
	config, cancels := c.direct, new(cancelGuard)
	if isPooled {
		config = c.pooled
	}
	cancels.guard(&config)
	opened, err := stdlib.GetConnector(config).Connect(ctx)
	if err != nil {
		return nil, err
	}
	cancels.connected()
	made := &conn{Conn: opened.(*stdlib.Conn), cancels: cancels}
	if made.isPooled, err = setUp(ctx, made.Conn.Conn()); err != nil {
		made.Close()
		return nil, err
	}
	return made, nil
}

// Driver is never called.
func (c *connector) Driver() driver.Driver { return stdlib.GetDefaultDriver() }

// The bounds of a server process, so it does not keep locks when we are paused or cut off. A lock is waited for again
// within a caller's timeout; the time between two statements of a transaction is nothing.
const (
	// Compiling a statement takes longer than any of ours, by far.
	bounds = `set_config('jit', 'off', $2), set_config('lock_timeout', '1s', $2), set_config('statement_timeout', '1min', $2),
		set_config('idle_in_transaction_session_timeout', '2s', $2)`
	statementTimeout = time.Minute // of these
)

// setUp sets the bounds of a session, and reports whether there is none: a pooler
// makes up the number of the server process.
func setUp(ctx context.Context, conn *pgx.Conn) (isPooled bool, err error) {
	rows, err := conn.Query(ctx, `SELECT `+bounds+` WHERE pg_backend_pid() = $1::bigint`, pgx.QueryExecModeExec, int64(conn.PgConn().PID()), false)
	if err != nil {
		return false, err
	}
	isDirect := rows.Next()
	rows.Close()
	return !isDirect, rows.Err()
}

// conn is a connection that tells the pool whether it is still of use. A cancelled statement closes its connection;
// without this the pool hands it to the next caller in line, for a "bad connection".
type conn struct {
	*stdlib.Conn
	cancels  *cancelGuard
	isPooled bool // each transaction may meet another server process
	used     int  // how often
}

var (
	_ driver.Validator       = (*conn)(nil)
	_ driver.SessionResetter = (*conn)(nil)
)

// IsValid is called before a connection goes back into the pool.
func (c *conn) IsValid() bool { return !c.Conn.Conn().IsClosed() }

// ResetSession is called before a connection is used again. One that was idle for a
// while is tried first, even if its next caller gives up meanwhile.
func (c *conn) ResetSession(ctx context.Context) error {
	ctx, cancel := uncancelled(ctx, pingTimeout)
	defer cancel()
	if err := c.Conn.ResetSession(ctx); err != nil {
		return err
	}
	if c.used++; c.isPooled || !isTimeToPlan(c.used) {
		return nil
	}
	if _, err := c.Conn.Conn().Exec(ctx, `DISCARD PLANS`); err != nil {
		return driver.ErrBadConn
	}
	return nil
}

// isTimeToPlan reports whether to make the plans of a connection anew. This takes longer than to read by most of them.
// They were made for tables of the size at the time. The server does this within about a minute after a table has
// grown, and in a minute an empty table can become a large one.
func isTimeToPlan(used int) bool {
	for n := 10; n <= 100_000; n *= 10 {
		if used == n {
			return true
		}
	}
	return used%100_000 == 0
}
