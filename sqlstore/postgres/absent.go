package postgres

import (
	"crypto/tls"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"example.org/library"
)

// IsAbsent reports whether an error means that a database server is not there
// or cannot be used now, and may be later although nobody changes a setting.
func IsAbsent(err error) bool {
	if !errors.Is(err, library.ErrUnavailable) {
		return false
	}
	return slices.ContainsFunc(connectionAttempts(err), func(one error) bool { return !isFinal(one) })
}

// isFinal reports whether a server is there and has refused for a reason that stays.
func isFinal(err error) bool {
	var untrusted *tls.CertificateVerificationError
	var refusal *pgconn.PgError
	return errors.As(err, &untrusted) || strings.Contains(err.Error(), "server refused TLS connection") ||
		errors.As(err, &refusal) && isTableMissing(refusal.Code)
}

// connectionAttempts are what has become of each attempt: there may be several
// servers, and each is tried with TLS first and then without, unless the address says
// otherwise.
func connectionAttempts(err error) []error {
	if connect, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		if several, ok := connect.Unwrap().(interface{ Unwrap() []error }); ok {
			return several.Unwrap()
		}
	}
	return []error{err}
}
