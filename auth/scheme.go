package auth

import (
	"net/http"
	"time"

	"example.org/library/auth/claims"
)

// Identity is what a caller has proved. It is shared by requests that bring
// the same credentials, so nobody may change it.
type Identity struct {
	Email       string    // never empty
	Authorities []string  // such as ROLE_LIBRARY_USER, each once, in the order of the token
	FromRecord  bool      // the credentials say nothing of authorities: take the roles of the user record
	Expires     time.Time // when the credentials stop being good; zero if they do not say

	// Thumbprint is that of the key to which the token is bound (RFC 7638), "" if it is
	// bound to none. A request with such a token needs a proof made with the key.
	Thumbprint string

	RolesClaim   string        // the claim that roles are taken from; "" where that needs no explanation
	RolesMissing claims.Reason // why that claim has given none, "" if it has

	person claims.Person
	issued time.Time
	hash   []byte // of the password that was shown; nil for a token
}

// Person is what the token says of the person beside the e-mail address.
func (id *Identity) Person() claims.Person { return id.person }

// Issued is when the token was issued, zero if it does not say.
func (id *Identity) Issued() time.Time { return id.issued }

// Scheme is a way to authenticate requests.
type Scheme interface {
	// Authenticate returns who sent r. Its error is always an [*Error].
	Authenticate(r *http.Request) (*Identity, error)

	// Recognize returns the same if the credentials were found to be good a moment
	// ago, and nil otherwise. It never waits, where Authenticate may wait: for keys of
	// the provider, or until it is its turn to check a password.
	Recognize(r *http.Request) *Identity

	// StillGood returns nil while the credentials by which Authenticate has
	// found an identity are good, and the refusal, an [*Error], afterwards.
	StillGood(id *Identity) error

	// UnknownUser is the refusal for an identity whose e-mail address nobody has.
	UnknownUser() *Error

	// InsufficientScope returns the WWW-Authenticate field for a caller who
	// lacks the scope, or "" if the scheme has none.
	InsufficientScope(scope string) string
}

var (
	_ Scheme = (*Bearer)(nil)
	_ Scheme = (*Basic)(nil)
)
