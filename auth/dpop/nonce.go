package dpop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"sync/atomic"
	"time"

	"example.org/library/auth"
)

// Nonces make sure that a proof was made a short time ago, whatever the clock of the
// caller says, and that nobody has made proofs in store. A nonce is a time with a MAC: nothing
// is remembered of it, and every process that knows the key takes those of the others.
const (
	nonceStep  = time.Minute     // how often there is a new one
	nonceLives = 5 * time.Minute // how long one is good, at least
	nonceAhead = time.Minute     // how far the clock of another process may be ahead
)

// CodeUseNonce is that of a proof without a nonce of this service, or with an old one.
const CodeUseNonce = "use_dpop_nonce"

var (
	errUseNonce = &auth.Error{
		Status: http.StatusUnauthorized, Code: CodeUseNonce, Message: "The DPoP proof needs the nonce that is in DPoP-Nonce",
		Challenge: challenge(CodeUseNonce, "The DPoP proof needs the nonce that is in DPoP-Nonce"),
	}
	errNotReady = &auth.Error{
		Status: http.StatusServiceUnavailable, Code: auth.CodeKeysUnavailable, Message: "The key of nonces is not available yet",
		RetryAfter: 5 * time.Second,
	}
)

// nonces makes and checks nonces with a key that is known later: it is in the database.
type nonces struct{ key atomic.Pointer[[]byte] }

// UseNonceKey is called with the key of all processes, as soon as it is known. Before that,
// requests that need a nonce are 503.
func (s *Scheme) UseNonceKey(key []byte) {
	if s.nonces != nil {
		s.nonces.key.Store(&key)
	}
}

// AsksForNonces reports whether proofs must have a nonce.
func (s *Scheme) AsksForNonces() bool { return s.nonces != nil }

// Nonce is the nonce of this moment, "" if there is none.
func (s *Scheme) Nonce() string {
	if s.nonces == nil || s.nonces.key.Load() == nil {
		return ""
	}
	return nonceAt(*s.nonces.key.Load(), s.now().Truncate(nonceStep))
}

func nonceAt(key []byte, at time.Time) string {
	when := binary.BigEndian.AppendUint64(nil, uint64(at.Unix()))
	mac := hmac.New(sha256.New, key)
	mac.Write(when)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(when)[:len(when)+16])
}

// checkNonce checks that the proof has a nonce of this service that is not old.
func (s *Scheme) checkNonce(proof *auth.SelfSigned, now time.Time) *auth.Error {
	if s.nonces == nil {
		return nil
	}
	key := s.nonces.key.Load()
	if key == nil {
		return errNotReady
	}
	nonce, _ := proof.Text("nonce")
	data, err := base64.RawURLEncoding.DecodeString(nonce)
	if err != nil || len(data) < 8 {
		return errUseNonce
	}
	at := time.Unix(int64(binary.BigEndian.Uint64(data)), 0)
	if !equal(nonce, nonceAt(*key, at)) || at.After(now.Add(nonceAhead)) || at.Add(nonceStep+nonceLives).Before(now) {
		return errUseNonce
	}
	return nil
}
