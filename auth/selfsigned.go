package auth

import (
	"crypto"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/auth/claims"
)

// SelfSigned is a signed JWT with its key in the header: it proves possession of the key, and
// nothing else. It goes through the same front door as tokens.
type SelfSigned struct {
	Thumbprint string // of the key (RFC 7638)
	raw        string
	algorithm  algorithm
	key        *key
	claims     members
}

// Why a self-signed JWT is refused.
var (
	ErrProofMalformed = errors.New("is malformed")
	ErrProofType      = errors.New("is of another type")
	ErrProofAlgorithm = errors.New("has an unsupported algorithm")
	ErrProofKey       = errors.New("has an unusable key")
	ErrProofSignature = errors.New("has an invalid signature")
)

// ParseSelfSigned reads a self-signed JWT of one type and no more than size bytes. Its
// signature is not checked yet.
func ParseSelfSigned(raw, typ string, size int) (*SelfSigned, error) {
	if len(raw) > size || strings.Count(raw, ".") != 2 {
		return nil, ErrProofMalformed
	}
	segments := strings.Split(raw, ".")
	decoded := [3][]byte{}
	for i, segment := range segments {
		data, err := decodeBase64(segment)
		if err != nil || len(data) == 0 {
			return nil, ErrProofMalformed
		}
		decoded[i] = data
	}
	header, err1 := parseMembers(decoded[0])
	payload, err2 := parseMembers(decoded[1])
	if errors.Join(err1, err2) != nil {
		return nil, ErrProofMalformed
	}
	s := &SelfSigned{raw: raw, claims: payload}
	return s, s.readHeader(header, typ)
}

func (s *SelfSigned) readHeader(header members, typ string) error {
	if kind, ok := header.text("typ"); !ok || kind != typ {
		return ErrProofType
	}
	name, ok := header.text("alg")
	if s.algorithm = algorithm(name); !ok || !s.algorithm.allowed() {
		return ErrProofAlgorithm
	}
	if header.has("crit") || header.has("b64") {
		return ErrProofMalformed
	}
	key, err := parseJWK(header["jwk"])
	if err != nil || !key.fits(s.algorithm) || isTooLarge(key) {
		return ErrProofKey
	}
	sum, err := (&jose.JSONWebKey{Key: key.public}).Thumbprint(crypto.SHA256)
	if err != nil {
		return ErrProofKey
	}
	s.key, s.Thumbprint = key, base64.RawURLEncoding.EncodeToString(sum)
	return nil
}

// maxProofRSABits is far less than for a provider's key: callers choose the key of their proofs,
// and every proof is verified.
const maxProofRSABits = 4096

func isTooLarge(k *key) bool {
	public, isRSA := k.public.(*rsa.PublicKey)
	return isRSA && public.N.BitLen() > maxProofRSABits
}

// Verify checks the signature.
func (s *SelfSigned) Verify() error {
	signed, err := jose.ParseSignedCompact(s.raw, []jose.SignatureAlgorithm{jose.SignatureAlgorithm(s.algorithm)})
	if err != nil {
		return ErrProofMalformed
	}
	if _, err := signed.Verify(verifierFor(s.key, s.algorithm)); err != nil {
		return ErrProofSignature
	}
	return nil
}

// Text returns a claim if it is there and a string.
func (s *SelfSigned) Text(name string) (string, bool) { return s.claims.text(name) }

// Time returns a claim if it is there and a time.
func (s *SelfSigned) Time(name string) (time.Time, bool) { return timeValue(s.claims[name]) }

// Algorithms are the names of the signature algorithms on the allow-list.
func Algorithms() []string {
	var names []string
	for a := range algorithms {
		names = append(names, string(a))
	}
	slices.Sort(names)
	return names
}

// Digest is a SHA-256 hash.
type Digest = digest

// CodeUnboundToken is the code for a token without a key, sent with a proof.
const CodeUnboundToken = "unbound_token"

var errUnbound = invalidToken(CodeUnboundToken, "The token is not bound to a key")

// checkBinding refuses tokens bound to a key, unless they can be used with a proof; then they must
// be bound by a thumbprint alone.
func (b *Bearer) checkBinding(c claims.Set) *Error {
	if !c.Has("cnf") || b.cfg.BoundTokens && thumbprint(c) != "" {
		return nil
	}
	return errBound
}

// otherBindings are members of cnf for other bindings: keys, certificates, security contexts (RFC
// 7800, 8705, 9203). A kid is none: it names the key (RFC 7800, section 3.4), and the thumbprint
// identifies it.
var otherBindings = []string{"jwk", "jwe", "jku", "x5t#S256", "osc"}

// thumbprint returns the thumbprint of the token's key (RFC 9449, section 6.1), "" if the token is
// bound to none, or to something else, too. Unknown members are ignored, as RFC 7800 demands:
// Keycloak notes there how it got the thumbprint.
func thumbprint(c claims.Set) string {
	cnf, err := parseMembers(c["cnf"])
	if err != nil || slices.ContainsFunc(otherBindings, cnf.has) {
		return ""
	}
	jkt, _ := cnf.text("jkt")
	if sum, err := decodeBase64(jkt); err != nil || len(sum) != len(digest{}) {
		return ""
	}
	return jkt
}

// SentAs reports whether the credentials of r have the scheme, in any case.
func SentAs(r *http.Request, scheme string) bool {
	fields := r.Header["Authorization"]
	if len(fields) == 0 {
		return false
	}
	_, is := credentials(fields[0], scheme)
	return is
}

// AuthenticateBound returns the identity of a token sent as Authorization: DPoP, and the token's
// hash. The sender of r is not proved yet: the caller must check a proof made with the key of
// Identity.Thumbprint.
func (b *Bearer) AuthenticateBound(r *http.Request) (*Identity, Digest, *Error) {
	raw, refusal := tokenOf(r, "dpop")
	if refusal != nil {
		return nil, Digest{}, refusal
	}
	d := digestOf(raw)
	id, refusal := b.holder(r.Context(), raw, d)
	if refusal == nil && id.Thumbprint == "" {
		refusal = errUnbound
	}
	return id, d, refusal
}

// RecognizeBound returns the same if the token was verified before.
func (b *Bearer) RecognizeBound(r *http.Request) (*Identity, Digest) {
	raw, refusal := tokenOf(r, "dpop")
	if refusal != nil {
		return nil, Digest{}
	}
	d := digestOf(raw)
	if v := b.recall(d, b.cfg.Now()); v.isGood(b) && v.identity.Thumbprint != "" {
		return v.identity, d
	}
	return nil, Digest{}
}
