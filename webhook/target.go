package webhook

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/url"
	"strings"

	"example.org/library/internal/loopback"
)

// Target is where events are posted to. Its address is nobody else's business: there may be a secret in it.
type Target struct{ address *url.URL }

// Faults of an address.
var (
	errNotAnAddress = errors.New("must be an https address such as https://receiver.example.org/library, or an http address of this machine")
	errHasName      = errors.New("has a name or a password in it; receivers know the library by its signature")
	errHasFragment  = errors.New("has a # in it, after which nothing is sent to a receiver")
	errNotEncrypted = errors.New("must begin with https:// unless it is an address of this machine (localhost, 127.0.0.1 or [::1])")
)

// ParseTarget takes https addresses, and http addresses of this machine. Its errors do not repeat the address.
func ParseTarget(address string) (Target, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || strings.ContainsAny(address, " \t\r\n"):
		return Target{}, errNotAnAddress
	case u.User != nil:
		return Target{}, errHasName
	case u.Fragment != "" || strings.Contains(address, "#"):
		return Target{}, errHasFragment
	case u.Scheme == "http" && !loopback.Is(u.Hostname()):
		return Target{}, errNotEncrypted
	}
	return Target{u}, nil
}

// Host returns the part of the address without secrets.
func (t Target) Host() string { return t.address.Host }

// key identifies the hook in the database.
func (t Target) key() string {
	sum := sha256.Sum256([]byte(t.address.String()))
	return hex.EncodeToString(sum[:])
}

// Secret is the key for signing events. It prints as nothing.
type Secret struct{ key []byte }

const secretPrefix = "whsec_"

// ParseSecret takes whsec_ and base64, as Standard Webhooks has them. Its error does not repeat the secret.
func ParseSecret(text string) (Secret, error) {
	encoded, isOne := strings.CutPrefix(text, secretPrefix)
	key, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !isOne || err != nil || len(key) == 0 || strings.ContainsAny(encoded, "\r\n") {
		return Secret{}, errors.New("must be whsec_ and base64; this makes one: echo whsec_$(openssl rand -base64 32)")
	}
	return Secret{key}, nil
}

// IsShort reports whether the key has fewer than the 24 bytes of Standard Webhooks.
func (s Secret) IsShort() bool { return len(s.key) < 24 }

func (s Secret) String() string   { return "(secret)" }
func (s Secret) GoString() string { return s.String() }
