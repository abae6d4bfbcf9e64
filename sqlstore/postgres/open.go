// Package postgres is the library's database on a PostgreSQL server: everything that
// this database alone needs. It implements [engine.Engine].
//
// Start reading at [Open]. Reading goes through the pool (pool.go), which runs again
// what a lost connection has broken off; how long anything may take is in timeout.go. A
// transaction is a pipeline (pipeline.go) that saves round trips; transactions about the
// same record wait for a keyed lock (keyedlock.go), and loans that queue up are committed
// as a group (group.go). What an error means is in errors.go, what has changed since
// somebody looked in revision.go.
package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Engine is a database on a server.
type Engine struct {
	pool     *pool
	lending  *pool // connections that keep plans, for loans that are committed as a group
	locks    keyedLocks
	group    *groupCommit
	standby  *standby
	revision *revision
	doubtful atomic.Bool // a write has failed because of the database: see Ready
}

var _ engine.Engine = (*Engine)(nil)

// Open uses the driver's own database/sql pool rather than pgxpool
// beneath it: one pool to bound and to count. The driver keeps statements
// prepared on each connection in either case. Transactions that are committed as a
// group are loaded by load.
func Open(ctx context.Context, address string, load engine.GroupLoader) (*Engine, error) {
	config, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	db := openPool(config, "", maxConns-maxGroups)
	if err := firstPing(ctx, db); err != nil {
		db.Close()
		if isAddressWrong(err) {
			return nil, fmt.Errorf("sqlstore: connect to PostgreSQL: %w", err)
		}
		return nil, Error(ctx, "connect to PostgreSQL", err)
	}
	if err := checkEncoding(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	connections := &pool{db}
	e := &Engine{pool: connections, lending: &pool{openPool(config, lendingSettings, maxGroups)}, standby: newStandby(connections), revision: newRevision(connections)}
	e.group = newGroupCommit(e, load)
	return e, nil
}

// openPool connects when there is something to send.
func openPool(config *pgx.ConnConfig, settings string, most int) *sql.DB {
	db := sql.OpenDB(newConnector(*config, settings))
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// Dialect is the SQL of PostgreSQL.
func (e *Engine) Dialect() *engine.Dialect { return dialect }

// Read reads outside a transaction.
func (e *Engine) Read(ctx context.Context, r engine.Reading) error { return e.pool.Read(ctx, r) }

// ReadPlanned reads by a plan that is made once.
func (e *Engine) ReadPlanned(ctx context.Context, r engine.Reading) error {
	return e.pool.ReadPlanned(ctx, r)
}

// Tx runs fn in one transaction, and again when the server asks for that, or when the
// connection was lost before COMMIT was sent.
func (e *Engine) Tx(ctx context.Context, fn func(engine.Tx) error) error {
	return retry(ctx, func(own context.Context) error {
		err := e.group.do(ctx, own, fn)
		if errors.Is(err, library.ErrUnavailable) {
			e.doubtful.Store(true)
		}
		return err
	})
}

// Direct is all connections: each may write.
func (e *Engine) Direct() engine.Direct { return engine.Direct{DB: e.pool.DB, Reader: e.pool} }

// Revision asks the server, together with others who ask at the same time.
func (e *Engine) Revision(ctx context.Context) (library.Revision, error) {
	return e.revision.current(ctx)
}

// LocalRevision is never known without the server.
func (e *Engine) LocalRevision(context.Context) (library.Revision, bool, error) {
	return library.Revision{}, false, nil
}

// MaxReads leaves connections for short questions, such as who is calling.
func (e *Engine) MaxReads() int { return max(e.pool.Stats().MaxOpenConnections-2, 2) }

// Stats counts the connections.
func (e *Engine) Stats() sql.DBStats { return engine.SumStats(e.pool.Stats(), e.lending.Stats()) }

// Close ends all connections. It waits for statements that are running.
func (e *Engine) Close() error { return errors.Join(e.lending.Close(), e.pool.Close()) }

// firstPing waits longer for a server that is slow than callers do, who are not
// there yet.
func firstPing(ctx context.Context, db *sql.DB) error {
	for deadline := time.Now().Add(openTimeout); ; {
		err := db.PingContext(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}

// maxConns leaves room for several programs on a server with its usual
// limit of 100.
const maxConns = 20

// ParseAddress reads an address. Its errors never show the address: a
// password may be in it, and in the parts that a parser complains of.
func ParseAddress(address string) (*pgx.ConnConfig, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" && u.Query().Get("host") == "" || endsInPassword(u) {
		return nil, errors.New("the database address is not a URL like postgres://user:password@host:5432/library; " +
			"special characters in a password must be percent-encoded, such as %2F for a slash")
	}
	config, err := pgx.ParseConfig(address)
	if err != nil {
		reason := err.Error()
		if password, ok := u.User.Password(); ok && password != "" && strings.Contains(reason, password) {
			reason = "one of its settings is wrong"
		}
		return nil, fmt.Errorf("the database address cannot be used: %s", reason)
	}
	hasSeveral := strings.Contains(u.Host+u.Query().Get("host"), ",")
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
		if hasSeveral {
			config.ConnectTimeout /= 2 // so that there is time for another server
		}
	}
	if hasSeveral && config.ValidateConnect == nil {
		// Of several servers one takes changes, and the others are behind it.
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if _, ok := config.RuntimeParams["application_name"]; !ok {
		config.RuntimeParams["application_name"] = "library"
	}
	// The driver does not translate. Whatever else the role or the database has
	// set, text would be spoilt in both directions.
	config.RuntimeParams["client_encoding"] = "UTF8"
	return config, nil
}

// endsInPassword reports whether what should be the name of the database looks like
// the rest of a password with a slash in it.
func endsInPassword(u *url.URL) bool {
	return strings.ContainsAny(strings.TrimPrefix(u.EscapedPath(), "/"), "/@")
}

// checkEncoding refuses a database that cannot hold all text.
func checkEncoding(ctx context.Context, db *sql.DB) error {
	one, err := db.Conn(ctx)
	if err != nil {
		return Error(ctx, "connect to PostgreSQL", err)
	}
	defer one.Close()
	encoding := ""
	one.Raw(func(c any) error {
		encoding = c.(*conn).Conn.Conn().PgConn().ParameterStatus("server_encoding")
		return nil
	})
	switch encoding {
	case "UTF8", "SQL_ASCII", "": // the second takes anything as it is, and a pooler may say nothing
		return nil
	}
	return fmt.Errorf("the database has the encoding %s, which cannot hold every title and name; "+
		"make one with CREATE DATABASE library ENCODING 'UTF8' TEMPLATE template0", encoding)
}
