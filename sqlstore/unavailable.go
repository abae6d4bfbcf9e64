package sqlstore

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library"
)

// unavailable says why the database cannot do what it is asked for now, though
// nothing is wrong with the question; "" if that is not what the error says. It
// is the one place that knows the drivers' errors of this kind.
func unavailable(err error) string {
	if reason := unavailableSQLite(sqliteCode(err)); reason != "" {
		return reason
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return unavailablePostgres(server.Code)
	}
	if isConnectionLost(err) {
		return "the database cannot be reached"
	}
	return ""
}

func unavailableSQLite(code int) string {
	switch code {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "the database file is locked by another program"
	case sqlite3.SQLITE_FULL:
		return "the disk with the database file is full; make room on it"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return "the database file and its folder cannot be written; check the rights, and whether the disk is read-only"
	case sqlite3.SQLITE_IOERR:
		return "the disk with the database file does not work"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged
	}
	return ""
}

const damaged = "the database file is damaged; stop the server and put a backup in its place " +
	"(what is still readable: sqlite3 FILE .recover)"

func unavailablePostgres(code string) string {
	switch {
	case code == "53100":
		return "the disk of the database server is full; make room on it"
	case code == "25006":
		return "the database is read-only; it may be a standby server"
	case code == "55P03":
		return "the database is locked"
	case code == "58030":
		return "the disk of the database server does not work"
	case strings.HasPrefix(code, "53"):
		return "the database server has no resources left"
	case strings.HasPrefix(code, "08"), strings.HasPrefix(code, "57P"):
		return "the database server is stopping or starting, or the connection was lost"
	}
	return ""
}

// isConnectionLost reports whether an error is about the way to the database.
func isConnectionLost(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// commitFault is fault for the end of a transaction. If the connection goes away
// then, the transaction may have happened.
func commitFault(ctx context.Context, err error) error {
	var answered *pgconn.PgError
	if err != nil && isConnectionLost(err) && !errors.As(err, &answered) && !pgconn.SafeToRetry(err) {
		return wrap("commit transaction", library.ErrOutcomeUnknown, err)
	}
	return fault(ctx, "commit transaction", err)
}

// Ping reports whether the store can answer now, and take what is written. It
// writes only if there is a reason to doubt that it can.
func (s *Store) Ping(ctx context.Context) error {
	if err := s.intact(); err != nil {
		return err
	}
	var hasUsers, isReadOnly bool
	err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users), `+s.dialect.isReadOnly).Scan(&hasUsers, &isReadOnly)
	switch {
	case err != nil:
		return fault(ctx, "ping", err)
	case isReadOnly:
		return errors.New("the database is read-only; it may be a standby server")
	case !s.doubtful.Load() && !s.isSuspect():
		return nil
	}
	if _, err := s.write.ExecContext(ctx, s.dialect.probe); err != nil {
		return fault(ctx, "try to write", err)
	}
	s.doubtful.Store(false)
	return nil
}

// doubt remembers that something could not be written, because of the database
// and not because of what it was.
func (s *Store) doubt(err error) {
	if errors.Is(err, library.ErrUnavailable) {
		s.doubtful.Store(true)
	}
}
