package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/internal/testkit"
)

const (
	testIssuer   = "https://idp.example.com/realms/workshop"
	testAudience = "library-service"
	testJWKSURL  = "https://idp.example.com/certs"
)

// testNow is the time in tests that do not let time pass.
var testNow = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func atTestNow() time.Time { return testNow }

// signingKey is a private key with the name it has in key sets.
type signingKey struct {
	kid     string
	alg     string
	private crypto.Signer
}

// Keys are slow to make, so all tests share these.
var (
	rsaSigner   = sync.OnceValue(func() signingKey { return newRSASigner("rsa-1") })
	rsaSigner2  = sync.OnceValue(func() signingKey { return newRSASigner("rsa-2") })
	ecSigner    = sync.OnceValue(func() signingKey { return newECSigner("ec-1", "ES256", elliptic.P256()) })
	ec384Signer = sync.OnceValue(func() signingKey { return newECSigner("ec-384", "ES384", elliptic.P384()) })
	ec521Signer = sync.OnceValue(func() signingKey { return newECSigner("ec-521", "ES512", elliptic.P521()) })
	edSigner    = sync.OnceValue(newEdSigner)
)

func newRSASigner(kid string) signingKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return signingKey{kid, "RS256", key}
}

func newECSigner(kid, alg string, curve elliptic.Curve) signingKey {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		panic(err)
	}
	return signingKey{kid, alg, key}
}

func newEdSigner() signingKey {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return signingKey{"ed-1", "EdDSA", key}
}

// named returns the same key under another kid.
func (s signingKey) named(kid string) signingKey {
	s.kid = kid
	return s
}

// jwk returns the public key as a JWK, with members added or replaced. A member
// whose value is nil is left out.
func (s signingKey) jwk(changes map[string]any) string {
	data, err := jose.JSONWebKey{Key: s.private.Public(), KeyID: s.kid}.MarshalJSON()
	if err != nil {
		panic(err)
	}
	var members map[string]any
	if err := json.Unmarshal(data, &members); err != nil {
		panic(err)
	}
	return object(members, changes)
}

// jwks returns a key set of the keys.
func jwks(keys ...signingKey) string {
	var entries []string
	for _, k := range keys {
		entries = append(entries, k.jwk(map[string]any{"use": "sig", "alg": k.alg}))
	}
	return jwksOf(entries...)
}

func jwksOf(entries ...string) string {
	raw := []json.RawMessage{}
	for _, e := range entries {
		raw = append(raw, json.RawMessage(e))
	}
	return object(map[string]any{"keys": raw}, nil)
}

// object writes base with the changes as JSON. A nil change deletes a member; a
// json.RawMessage is written as it is.
func object(base, changes map[string]any) string {
	members := maps.Clone(base)
	for name, value := range changes {
		if value == nil {
			delete(members, name)
			continue
		}
		members[name] = value
	}
	data, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// claimSet returns the claims of a good token, with changes.
func claimSet(changes map[string]any) string {
	return object(map[string]any{
		"iss": testIssuer, "aud": []string{"account", testAudience},
		"exp": testNow.Add(5 * time.Minute).Unix(), "iat": testNow.Unix(),
		"scope": "library_user email profile", "typ": "Bearer",
		"email": "bruce.wayne@example.com", "email_verified": true,
	}, changes)
}

func (s signingKey) header(changes map[string]any) string {
	return object(map[string]any{"alg": s.alg, "kid": s.kid, "typ": "JWT"}, changes)
}

// token returns a good token with changed claims.
func (s signingKey) token(changes map[string]any) string {
	return s.sign(s.header(nil), claimSet(changes))
}

// sign makes a token of any header and payload, good or not.
func (s signingKey) sign(header, payload string) string {
	return s.signSegments(encode(header), encode(payload))
}

func (s signingKey) signSegments(header, payload string) string {
	signed := header + "." + payload
	return signed + "." + encode(string(rawSignature(s.private, s.alg, []byte(signed))))
}

func encode(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// rawSignature signs with the standard library alone, so that headers and
// payloads need not be anything that a JOSE library would sign.
func rawSignature(private crypto.Signer, alg string, signed []byte) []byte {
	if key, ok := private.(ed25519.PrivateKey); ok {
		return ed25519.Sign(key, signed)
	}
	hash := map[string]crypto.Hash{"256": crypto.SHA256, "384": crypto.SHA384, "512": crypto.SHA512}[alg[2:]]
	h := hash.New()
	h.Write(signed)
	sum := h.Sum(nil)
	if key, ok := private.(*ecdsa.PrivateKey); ok {
		r, s, err := ecdsa.Sign(rand.Reader, key, sum)
		if err != nil {
			panic(err)
		}
		size := (key.Curve.Params().BitSize + 7) / 8
		return append(r.FillBytes(make([]byte, size)), s.FillBytes(make([]byte, size))...)
	}
	var opts crypto.SignerOpts = hash
	if alg[:2] == "PS" {
		opts = &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash, Hash: hash}
	}
	signature, err := private.Sign(rand.Reader, sum, opts)
	if err != nil {
		panic(err)
	}
	return signature
}

// newTestBearer returns a Bearer at testNow, with changes to its configuration.
func newTestBearer(p *provider, changes ...func(*Config)) *Bearer {
	cfg := Config{Issuer: testIssuer, Audience: testAudience, Keys: p.keySet(atTestNow), Now: atTestNow}
	for _, change := range changes {
		change(&cfg)
	}
	return NewBearer(cfg)
}

// requestWith returns a request with these Authorization fields.
func requestWith(fields ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/library-server/books", nil)
	for _, field := range fields {
		r.Header.Add("Authorization", field)
	}
	return r
}

// try authenticates a request with the token and returns the reason of the
// refusal, or "" if there is none.
func try(b *Bearer, token string) string {
	return reasonOf(b.Authenticate(requestWith("Bearer " + token)))
}

func reasonOf(_ *Identity, err error) string {
	if err == nil {
		return ""
	}
	return err.(*Error).Code
}

func mustTry(t *testing.T, b *Bearer, token, want string) {
	t.Helper()
	testkit.Equal(t, try(b, token), want)
}
