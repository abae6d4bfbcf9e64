package postgres

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// Error describes a failure: see [engine.Describe].
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
	// A statement from before a change of the schema is of no use, and neither is a connection without its statement.
	isStale := e.Code == "0A000" && e.Routine == "RevalidateCachedQuery" || e.Code == "26000"
	if isStale || IsServerGone(e.Code) {
		return engine.Diagnosis{Kind: engine.ConnectionLost}
	}
	return engine.Diagnosis{}
}

// IsServerGone reports whether a server says it is stopping, starting, no longer the writable one, or out of
// connections, or has ended the session.
func IsServerGone(code string) bool {
	switch code {
	case "25006", "25P03", "53300", "57P01", "57P02", "57P03", "57P05":
		return true
	}
	return strings.HasPrefix(code, "08")
}

// unavailable is the Unavailable of the dialect.
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
// taken it away: our statements are tried against every schema of theirs.
func isTableMissing(code string) bool { return code == "42P01" || code == "42501" }

// isAddressWrong reports whether a server has no such database or does not let the user in. At the start this is a
// mistake in the settings; later something has happened to the database.
func isAddressWrong(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "3D000" || strings.HasPrefix(e.Code, "28"))
}

// explainAddress explains how to create a missing database. What the driver
// says is about each attempt, with TLS and without.
func explainAddress(config *pgx.ConnConfig, err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "3D000" {
		return fmt.Errorf("the database %s does not exist on this server; create it with: createdb --owner %s --encoding UTF8 --template template0 %s", config.Database, config.User, config.Database)
	}
	return err
}

// isConnectionLost reports whether an error is about the way to the database.
func isConnectionLost(err error) bool {
	var connect *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || pgconn.SafeToRetry(err)
}

// isRefusal reports whether a transaction with COMMIT on its way has failed for certain. A server complains after the
// answers to all of its work; but a pooler speaks for a server it has lost.
func isRefusal(err error, isPooled bool) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return !isPooled || e.SeverityUnlocalized == "ERROR" && !strings.HasPrefix(e.Code, "08")
	}
	return pgconn.SafeToRetry(err)
}

// IsAbsent reports whether, by an error, a database server is not there
// or cannot be used now, and may be later although nobody changes a setting.
func IsAbsent(err error) bool {
	if !errors.Is(err, library.ErrUnavailable) {
		return false
	}
	return slices.ContainsFunc(connectionAttempts(err), func(one error) bool { return !isFinal(one) })
}

// isFinal reports whether a server is there and has refused for a lasting reason.
func isFinal(err error) bool {
	var untrusted *tls.CertificateVerificationError
	var refusal *pgconn.PgError
	return errors.As(err, &untrusted) || strings.Contains(err.Error(), "server refused TLS connection") ||
		errors.As(err, &refusal) && isTableMissing(refusal.Code)
}

// connectionAttempts returns the error of each attempt: there may be several servers, and each is tried with TLS first
// and then without, unless the address says otherwise.
func connectionAttempts(err error) []error {
	if connect, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		if several, ok := connect.Unwrap().(interface{ Unwrap() []error }); ok {
			return several.Unwrap()
		}
	}
	return []error{err}
}
