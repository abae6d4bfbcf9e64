package devidp

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// maxTokenSize is far beyond what the provider makes.
const maxTokenSize = 16 << 10

var errNotOurs = errors.New("not a token of this provider")

// tokenHeader is the only header that the provider writes and accepts.
type tokenHeader struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// sign makes a JWT of the claims, signed with the current key. RS256 is two
// calls of the standard library; a JOSE library would add nothing but choices.
func (k *Keys) sign(claims any) (string, error) {
	key := k.snapshot().current
	header, err := json.Marshal(tokenHeader{Alg: "RS256", Kid: key.id, Typ: "JWT"})
	if err != nil {
		return "", err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	signed := encodeSegment(header) + "." + encodeSegment(payload)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(nil, key.private, crypto.SHA256, sum[:])
	if err != nil {
		return "", err
	}
	return signed + "." + encodeSegment(signature), nil
}

// verify reads the claims of a token that a published key has signed. Expiry,
// issuer and kind of token are left to the caller.
func (k *Keys) verify(token string, now time.Time, claims any) error {
	if len(token) > maxTokenSize {
		return errNotOurs
	}
	segments := strings.Split(token, ".")
	if len(segments) != 3 {
		return errNotOurs
	}
	var header tokenHeader
	if data, err := decodeSegment(segments[0]); err != nil || json.Unmarshal(data, &header) != nil || header.Alg != "RS256" {
		return errNotOurs
	}
	signature, err := decodeSegment(segments[2])
	if err != nil {
		return errNotOurs
	}
	keys := k.snapshot().published(now)
	at := slices.IndexFunc(keys, func(k retiredKey) bool { return k.id == header.Kid })
	sum := sha256.Sum256([]byte(segments[0] + "." + segments[1]))
	if at < 0 || rsa.VerifyPKCS1v15(keys[at].public, crypto.SHA256, sum[:], signature) != nil {
		return errNotOurs
	}
	// From here on the token is one that sign made.
	payload, err := decodeSegment(segments[1])
	if err != nil || json.Unmarshal(payload, claims) != nil {
		return errNotOurs
	}
	return nil
}

func encodeSegment(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func decodeSegment(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") { // which the decoder would skip
		return nil, errNotOurs
	}
	return base64.RawURLEncoding.Strict().DecodeString(s)
}
