package auth

import (
	"net/http"
	"time"

	"example.org/library/auth/claims"
)

// Identity is the proved identity of a caller. Requests with the same credentials share it, so
// nobody may change it.
type Identity struct {
	Email       string    // never empty
	Authorities []string  // such as ROLE_LIBRARY_USER, each once, in the order of the token
	FromRecord  bool      // the credentials say nothing of authorities: take the roles of the user record
	Expires     time.Time // when the credentials stop being good; zero if they do not say

	// Thumbprint is the thumbprint of the token's key (RFC 7638), "" for an unbound token. A
	// request with a bound token needs a proof made with the key.
	Thumbprint string

	RolesClaim   string        // the claim that roles are taken from; "" where that needs no explanation
	RolesMissing claims.Reason // why that claim has given none, "" if it has

	person claims.Person
	issued time.Time
	ends   [2]digest // what ends its session, see Logouts
	hash   []byte    // of the password that was shown; nil for a token
}

// Person describes the person of the token, beside the e-mail address.
func (id *Identity) Person() claims.Person { return id.person }

// Issued is when the token was issued, zero if it does not say.
func (id *Identity) Issued() time.Time { return id.issued }

// Scheme is a way to authenticate requests.
type Scheme interface {
	// Authenticate returns the sender of r. Its error is always an [*Error].
	Authenticate(r *http.Request) (*Identity, error)

	// Recognize returns the same if the credentials were found to be good a moment
	// ago, and nil otherwise. It never waits, where Authenticate may wait: for keys of
	// the provider, or until it is its turn to check a password.
	Recognize(r *http.Request) *Identity

	// StillValid returns nil while the credentials of an identity are good, and the refusal, an
	// [*Error], afterwards.
	StillValid(id *Identity) error

	// UnknownUser returns the refusal for an identity with an unknown e-mail address.
	UnknownUser() *Error

	// InsufficientScope returns the WWW-Authenticate field for a caller without the scope, or ""
	// if the scheme has none.
	InsufficientScope(scope string) string
}

var (
	_ Scheme = (*Bearer)(nil)
	_ Scheme = (*Basic)(nil)
)
