package testidp

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"maps"
	"testing"
	"time"
)

// ProofKey is the key of a caller with tokens bound to it (RFC 9449).
type ProofKey struct{ private *ecdsa.PrivateKey }

// NewProofKey makes a key.
func NewProofKey(t testing.TB) *ProofKey {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatalf("testidp: %v", err)
	}
	return &ProofKey{private}
}

// JWK returns the public key.
func (k *ProofKey) JWK() map[string]any {
	coordinates, err := k.private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // a key of this package
	}
	return map[string]any{"kty": "EC", "crv": "P-256", "x": encode(coordinates[1:33]), "y": encode(coordinates[33:])}
}

// PrivateJWK returns the whole key, for tests of callers that must not send it.
func (k *ProofKey) PrivateJWK() map[string]any {
	jwk := k.JWK()
	secret, err := k.private.Bytes()
	if err != nil {
		panic(err)
	}
	jwk["d"] = encode(secret)
	return jwk
}

// Thumbprint returns the thumbprint of RFC 7638.
func (k *ProofKey) Thumbprint() string {
	jwk := k.JWK()
	sum := sha256.Sum256([]byte(`{"crv":"P-256","kty":"EC","x":"` + jwk["x"].(string) + `","y":"` + jwk["y"].(string) + `"}`))
	return encode(sum[:])
}

// Bound returns the claims of a token bound to the key.
func (k *ProofKey) Bound() Claims { return Claims{"cnf": map[string]string{"jkt": k.Thumbprint()}} }

// TokenHash returns the ath of proofs for a token.
func TokenHash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return encode(sum[:])
}

// Proof returns a good proof for a request, with the changes of a test: its claims and
// members of the header replace the usual ones; nil leaves one out.
func (k *ProofKey) Proof(t testing.TB, method, url, token string, claims Claims, header map[string]any) string {
	t.Helper()
	c := Claims{"htm": method, "htu": url, "iat": time.Now().Unix(), "jti": rand.Text(), "ath": TokenHash(token)}
	h := map[string]any{"typ": "dpop+jwt", "alg": "ES256", "jwk": k.JWK()}
	for base, changes := range map[*map[string]any]map[string]any{&c: claims, &h: header} {
		maps.Copy(*base, changes)
		maps.DeleteFunc(*base, func(_ string, value any) bool { return value == nil })
	}
	return k.Sign(t, marshal(t, h), marshal(t, c))
}

// Sign makes a proof of any header and payload.
func (k *ProofKey) Sign(t testing.TB, header, payload []byte) string {
	t.Helper()
	signed := encode(header) + "." + encode(payload)
	return signed + "." + encode(keyPair{ec: k.private}.sign(t, signed, true))
}
