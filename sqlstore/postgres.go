package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// openPostgres uses the driver's own database/sql pool rather than pgxpool
// beneath it: one pool to bound and to count. The driver keeps statements
// prepared on each connection in either case.
func openPostgres(ctx context.Context, address string) (*Store, error) {
	config, err := parsePostgres(address)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(newPostgresConnector(*config))
	db.SetMaxOpenConns(maxPostgresConns)
	db.SetMaxIdleConns(maxPostgresConns)
	db.SetConnMaxIdleTime(5 * time.Minute)
	if err := firstPing(ctx, db); err != nil {
		db.Close()
		if isAddressWrong(err) {
			return nil, fmt.Errorf("sqlstore: connect to PostgreSQL: %w", err)
		}
		return nil, dbError(ctx, "connect to PostgreSQL", err)
	}
	if err := checkEncoding(ctx, db); err != nil {
		db.Close()
		return nil, err
	}
	connections := &pool{DB: db, diagnose: diagnosePostgres, isRemote: true}
	s := &Store{
		dialect: postgresDialect(), read: connections, write: connections, revisions: newPostgresRevision(connections),
		intact: func() error { return nil }, isSuspect: func() bool { return false },
	}
	s.tryLock, s.hasRoom = s.tryLockPostgres, s.hasRoomPostgres
	s.groups, s.shared, s.standby = newGroups(s), newSharedBooks(connections), newStandby(connections)
	return s, nil
}

// firstPing waits longer for a server that is slow than callers do, who are not
// there yet.
func firstPing(ctx context.Context, db *sql.DB) error {
	for deadline := time.Now().Add(openPatience); ; {
		err := db.PingContext(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
	}
}

// maxPostgresConns leaves room for several programs on a server with its usual
// limit of 100.
const maxPostgresConns = 20

// parsePostgres reads an address. Its errors never show the address: a
// password may be in it, and in the parts that a parser complains of.
func parsePostgres(address string) (*pgx.ConnConfig, error) {
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
		config.ConnectTimeout = connectPatience
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
	conn, err := db.Conn(ctx)
	if err != nil {
		return dbError(ctx, "connect to PostgreSQL", err)
	}
	defer conn.Close()
	encoding := ""
	conn.Raw(func(c any) error {
		encoding = c.(*postgresConn).Conn.Conn().PgConn().ParameterStatus("server_encoding")
		return nil
	})
	switch encoding {
	case "UTF8", "SQL_ASCII", "": // the second takes anything as it is, and a pooler may say nothing
		return nil
	}
	return fmt.Errorf("the database has the encoding %s, which cannot hold every title and name; "+
		"make one with CREATE DATABASE library ENCODING 'UTF8' TEMPLATE template0", encoding)
}
