package postgres

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library/sqlstore/engine"
)

// Error says what failed: see [engine.Describe].
func Error(ctx context.Context, doing string, err error) error {
	return engine.Describe(ctx, doing, err, unavailable)
}

func diagnose(err error) engine.Diagnosis {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if err != nil && isConnectionLost(err) {
			return engine.Diagnosis{Kind: engine.ConnectionLost}
		}
		return engine.Diagnosis{}
	}
	switch e.Code {
	case "23505":
		return engine.Diagnosis{Kind: engine.UniqueViolation, Constraint: e.ConstraintName}
	case "23503":
		return engine.Diagnosis{Kind: engine.ForeignKeyViolation, Constraint: e.ConstraintName}
	case "23514":
		return engine.Diagnosis{Kind: engine.CheckViolation, Constraint: e.ConstraintName}
	case "22012":
		return engine.Diagnosis{Kind: engine.CheckViolation, Constraint: engine.NothingChanged}
	case "40001", "40P01": // serialization failure, deadlock
		return engine.Diagnosis{Kind: engine.TryAgain}
	case "55P03":
		return engine.Diagnosis{Kind: engine.LockTimeout}
	}
	// A statement that was prepared before the schema changed is of no use, and
	// neither is a connection on which one is missing.
	isStale := e.Code == "0A000" && e.Routine == "RevalidateCachedQuery" || e.Code == "26000"
	if isStale || IsServerGone(e.Code) {
		return engine.Diagnosis{Kind: engine.ConnectionLost}
	}
	return engine.Diagnosis{}
}

// IsServerGone reports whether a server has said that it is stopping, starting, no
// longer the one that takes changes, or out of connections, or that it has ended
// the session.
func IsServerGone(code string) bool {
	switch code {
	case "25006", "25P03", "53300", "57P01", "57P02", "57P03", "57P05":
		return true
	}
	return strings.HasPrefix(code, "08")
}

// unavailable is that of the dialect.
func unavailable(err error) string {
	var connect *pgconn.ConnectError
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e) && !errors.As(err, &connect):
		return unavailableCode(e.Code)
	case errors.As(err, &e) && unavailableCode(e.Code) != "":
		return unavailableCode(e.Code)
	case isConnectionLost(err):
		return "the database cannot be reached"
	}
	return ""
}

func unavailableCode(code string) string {
	switch {
	case code == "53100":
		return "the disk of the database server is full; make room on it"
	case code == "25006":
		return "the database is read-only; it may be a standby server"
	case code == "55P03", code == "40001", code == "40P01":
		return "the database is locked"
	case code == "57014":
		return "a statement took too long"
	case isTableMissing(code):
		return "a table is not there, or this role may not use it; see to the rights, or put a backup in its place"
	case code == "58030":
		return "the disk of the database server does not work"
	case strings.HasPrefix(code, "53"):
		return "the database server has no resources left"
	case IsServerGone(code):
		return "the database server is stopping or starting, or the connection was lost"
	case strings.HasPrefix(code, "57"), strings.HasPrefix(code, "58"), strings.HasPrefix(code, "XX"), code == "26000":
		return "something is wrong with the database server; its log says more"
	}
	return ""
}

// isTableMissing reports whether a table is not there, or may not be used. Somebody has
// taken it away: our statements are tried against every schema that they are for.
func isTableMissing(code string) bool { return code == "42P01" || code == "42501" }

// isAddressWrong reports whether a server has no such database or does not let the
// user in. At the start that is a mistake in the settings; later it is something
// that has happened to the database.
func isAddressWrong(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "3D000" || strings.HasPrefix(e.Code, "28"))
}

// isConnectionLost reports whether an error is about the way to the database.
func isConnectionLost(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// isRefusal reports whether a transaction whose COMMIT was to be sent has failed
// for certain. What a server says comes after the answers to all that it has done;
// but a pooler speaks for a server that it has lost.
func isRefusal(err error, isPooled bool) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return !isPooled || e.SeverityUnlocalized == "ERROR" && !strings.HasPrefix(e.Code, "08")
	}
	return pgconn.SafeToRetry(err)
}
