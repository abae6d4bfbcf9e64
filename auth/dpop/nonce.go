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

// A nonce proves the recent making of a proof, whatever the caller's clock, and prevents proofs
// made in advance. It is a time with a MAC: nothing is stored, and every process with the key
// accepts the nonces of the others.
const (
	nonceStep  = time.Minute     // how often there is a new one
	nonceLives = 5 * time.Minute // how long one is good, at least
	nonceAhead = time.Minute     // how far the clock of another process may be ahead
)

// CodeUseNonce is the code for a proof without a nonce of this service, or with an old one.
const CodeUseNonce = "use_dpop_nonce"

var (
	errUseNonce = &auth.Error{
		Status: http.StatusUnauthorized, Code: CodeUseNonce, Message: "The DPoP proof needs the nonce in DPoP-Nonce",
		Challenge: challenge(CodeUseNonce, "The DPoP proof needs the nonce in DPoP-Nonce"),
	}
	errNotReady = &auth.Error{
		Status: http.StatusServiceUnavailable, Code: auth.CodeKeysUnavailable, Message: "The key of nonces is not available yet",
		RetryAfter: 5 * time.Second,
	}
)

// nonces makes and checks nonces with a key from the database, known only after the start.
type nonces struct{ key atomic.Pointer[[]byte] }

// UseNonceKey sets the key shared by all processes. Before the call, requests in need of a nonce
// are 503.
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

// checkNonce checks the proof for a recent nonce of this service.
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
