package dpop

import (
	"fmt"
	"net/http"
	"time"

	"example.org/library/auth"
)

// Mode selects the accepted tokens.
type Mode string

const (
	Off      Mode = ""         // bearer tokens alone; one that is bound to a key is refused
	Allowed  Mode = "allowed"  // bearer tokens, and bound ones with a proof
	Required Mode = "required" // bound ones with a proof alone
)

// ParseMode reads a mode.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); {
	case s == "off":
		return Off, nil
	case m == Allowed || m == Required:
		return m, nil
	}
	return Off, fmt.Errorf("%q is no mode of DPoP", s)
}

// Config configures a [Scheme].
type Config struct {
	Bearer    *auth.Bearer     // must take bound tokens
	Mode      Mode             // Allowed or Required
	PublicURL string           // the address of the API as callers see it, "" for that of each request
	BasePath  string           // where the API is here, which PublicURL replaces
	Nonce     bool             // proofs must have a nonce of the service; needs UseNonceKey
	Now       func() time.Time // nil is time.Now
}

// Scheme authenticates requests by tokens bound to a key and, if allowed, by unbound ones.
type Scheme struct {
	*auth.Bearer
	mode    Mode
	address addresses
	seen    *replays
	nonces  *nonces // nil if none are asked for
	now     func() time.Time
}

var _ auth.Scheme = (*Scheme)(nil)

// New returns a Scheme.
func New(cfg Config) (*Scheme, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	address, err := newAddresses(cfg.PublicURL, cfg.BasePath)
	if err != nil {
		return nil, err
	}
	s := &Scheme{Bearer: cfg.Bearer, mode: cfg.Mode, address: address, seen: newReplays(maxRemembered), now: cfg.Now}
	if cfg.Nonce {
		s.nonces = &nonces{}
	}
	return s, nil
}

// Mode is Allowed or Required.
func (s *Scheme) Mode() Mode { return s.mode }

// SentAsDPoP reports whether a request shows its token as DPoP.
func SentAsDPoP(r *http.Request) bool { return auth.SentAs(r, "dpop") }

// Authenticate returns the sender of r, by its access token and the proof for it.
func (s *Scheme) Authenticate(r *http.Request) (*auth.Identity, error) {
	if !SentAsDPoP(r) {
		if s.mode == Required && auth.SentAs(r, "bearer") && len(r.Header["Authorization"]) == 1 {
			return nil, errRequired
		}
		return s.Bearer.Authenticate(r)
	}
	id, token, refusal := s.AuthenticateBound(r)
	if refusal == nil {
		refusal = s.checkProof(r, id.Thumbprint, token)
	}
	if refusal != nil {
		return nil, refusal
	}
	return id, nil
}

// Recognize returns the same for a token verified before. It checks the proof, too: that takes
// some time, but waits for nothing.
func (s *Scheme) Recognize(r *http.Request) *auth.Identity {
	if !SentAsDPoP(r) {
		if s.mode == Required {
			return nil
		}
		return s.Bearer.Recognize(r)
	}
	id, token := s.RecognizeBound(r)
	if id == nil || s.checkProof(r, id.Thumbprint, token) != nil {
		return nil
	}
	return id
}
