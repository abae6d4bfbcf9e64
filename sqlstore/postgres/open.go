// Package postgres is the library's database on a PostgreSQL server: everything that
// this database alone needs. It implements [engine.Engine].
//
// Start reading at [Open]. Reading goes through the pool (pool.go). It runs again after a lost connection; how long
// anything may take is in pool.go, too. A transaction is a pipeline (pipeline.go) to save round trips; transactions about
// the same record wait for a keyed lock (keyedlock.go). The errors of a server are in errors.go, changes since somebody
// looked in revision.go.
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
	locks    keyedLocks
	standby  *standby
	revision *revision
	doubtful atomic.Bool // a write has failed because of the database: see Ready
}

var _ engine.Engine = (*Engine)(nil)

// Open uses the driver's own database/sql pool rather than pgxpool beneath it: one pool to bound and to count. The
// driver keeps statements prepared on each connection in either case.
func Open(ctx context.Context, address string) (*Engine, error) {
	config, err := ParseAddress(address)
	if err != nil {
		return nil, err
	}
	db := openPool(config)
	if err := firstPing(ctx, db); err != nil {
		db.Close()
		if isAddressWrong(err) {
			return nil, fmt.Errorf("sqlstore: connect to PostgreSQL: %w", explainAddress(config, err))
		}
		return nil, Error(ctx, "connect to PostgreSQL", err)
	}
	if err := checkEncoding(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	connections := &pool{db}
	return &Engine{pool: connections, standby: newStandby(connections), revision: newRevision(connections)}, nil
}

// openPool connects when there is something to send.
func openPool(config *pgx.ConnConfig) *sql.DB {
	db := sql.OpenDB(newConnector(*config))
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxConns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// Dialect is the SQL of PostgreSQL.
func (e *Engine) Dialect() *engine.Dialect { return dialect }

// Read reads outside a transaction.
func (e *Engine) Read(ctx context.Context, r engine.Reading) error { return e.pool.Read(ctx, r) }

// ReadPlanned reads by a plan made once.
func (e *Engine) ReadPlanned(ctx context.Context, r engine.Reading) error {
	return e.pool.ReadPlanned(ctx, r)
}

// Tx runs fn in one transaction, and again when the server asks for it, or when the
// connection was lost before COMMIT was sent.
func (e *Engine) Tx(ctx context.Context, fn func(engine.Tx) error) error {
	return retry(ctx, func(own context.Context) error {
		err := e.runPipeline(ctx, own, fn)
		if errors.Is(err, library.ErrUnavailable) {
			e.doubtful.Store(true)
		}
		return err
	})
}

// Direct is all connections: each may write.
func (e *Engine) Direct() engine.Direct { return engine.Direct{DB: e.pool.DB, Reader: e.pool} }

// Revision asks the server, once for all callers at the same time.
func (e *Engine) Revision(ctx context.Context) (library.Revision, error) {
	return e.revision.current(ctx)
}

// MaxReads leaves connections for short questions about callers.
func (e *Engine) MaxReads() int { return max(e.pool.Stats().MaxOpenConnections-2, 2) }

// Stats counts the connections.
func (e *Engine) Stats() sql.DBStats { return e.pool.Stats() }

// Close ends all connections, after the statements under way.
func (e *Engine) Close() error { return e.pool.Close() }

// firstPing waits longer for a slow server than callers do, who are not there yet.
func firstPing(ctx context.Context, db *sql.DB) error {
	for deadline := time.Now().Add(openTimeout); ; {
		err := db.PingContext(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}

// maxConns leaves room for several programs on a server with its usual limit of 100.
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
	if err := checkDriver(config); err != nil {
		return nil, err
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

// checkDriver refuses settings of the driver against which the library fails. How it
// sends statements is its own matter: it finds out by itself whether there is a pooler.
func checkDriver(config *pgx.ConnConfig) error {
	for _, s := range []struct {
		name    string
		isWrong bool
	}{
		{"default_query_exec_mode", config.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement},
		{"statement_cache_capacity", config.StatementCacheCapacity <= 0},
		{"description_cache_capacity", config.DescriptionCacheCapacity <= 0},
	} {
		if s.isWrong {
			return fmt.Errorf("the library does not work with this %s in the address; leave the parameter out, "+
				"also behind a pooler, which the library recognises", s.name)
		}
	}
	return nil
}

// endsInPassword reports whether the name of the database looks like the rest of a password with a slash in it.
func endsInPassword(u *url.URL) bool {
	return strings.ContainsAny(strings.TrimPrefix(u.EscapedPath(), "/"), "/@")
}

// checkEncoding refuses an encoding without all characters.
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
