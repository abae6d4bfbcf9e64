package auth

import (
	"crypto"
	"crypto/rsa"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// SelfSigned is a signed JWT whose header brings the key: it proves that its maker
// has that key, and nothing else. The front door is the same as that of tokens.
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
	ErrProofAlgorithm = errors.New("has an algorithm that is not supported")
	ErrProofKey       = errors.New("has a key that cannot be used")
	ErrProofSignature = errors.New("has a signature that is not valid")
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

// maxProofRSABits is far less than what a provider's key may have: callers choose
// the key of their proofs, and every proof is verified.
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
