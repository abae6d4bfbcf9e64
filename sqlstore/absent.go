package sqlstore

import (
	"crypto/tls"
	"errors"
	"strings"

	"example.org/library"
)

// IsAbsent reports whether an error means that a database server is not there
// or cannot be used now, and may be later although nobody changes a setting. A
// file is never absent: who starts a server has it, or has a wrong name for it.
func IsAbsent(err error) bool {
	var untrusted *tls.CertificateVerificationError
	switch {
	case !errors.Is(err, library.ErrUnavailable), sqliteCode(err) != 0:
		return false
	case errors.As(err, &untrusted), strings.Contains(err.Error(), "server refused TLS connection"):
		return false // it is there, and will not change its mind
	}
	return true
}
