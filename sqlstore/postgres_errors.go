package sqlstore

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

func diagnosePostgres(err error) diagnosis {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return diagnosis{}
	}
	switch e.Code {
	case "23505":
		return diagnosis{kind: uniqueViolation, constraint: e.ConstraintName}
	case "23503":
		return diagnosis{kind: foreignKeyViolation, constraint: e.ConstraintName}
	case "23514":
		return diagnosis{kind: checkViolation, constraint: e.ConstraintName}
	case "22012":
		return diagnosis{kind: checkViolation, constraint: nothingChanged}
	case "40001", "40P01": // serialization failure, deadlock
		return diagnosis{kind: tryAgain}
	}
	return diagnosis{}
}

func unavailablePostgres(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if isConnectionLost(err) {
			return "the database cannot be reached"
		}
		return ""
	}
	switch code := e.Code; {
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

// isCommitUnknown reports whether the connection was lost after the commit was
// sent and before the answer came.
func isCommitUnknown(err error) bool {
	var answered *pgconn.PgError
	return err != nil && isConnectionLost(err) && !errors.As(err, &answered) && !pgconn.SafeToRetry(err)
}
