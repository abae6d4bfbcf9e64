package testidp

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"testing"
	"time"
)

// Claims are members of a token's payload.
type Claims = map[string]any

// Token returns a good token for a user with some scopes.
func (p *Provider) Token(t testing.TB, email, scope string) string {
	t.Helper()
	return p.Mint(t, Claims{"email": email, "scope": scope})
}

// Mint returns a good token with the changes of a test: its claims replace the usual ones; nil leaves one out.
func (p *Provider) Mint(t testing.TB, claims Claims, options ...Option) string {
	t.Helper()
	now := time.Now()
	all := Claims{
		"iss":   p.Issuer(),
		"sub":   "1f6e2f4c-6b0e-4a43-8d0c-3b8a7c0d5e21",
		"aud":   []string{Audience},
		"exp":   now.Add(Lifetime).Unix(),
		"iat":   now.Unix(),
		"jti":   rand.Text(),
		"typ":   "Bearer",
		"azp":   "library-client",
		"email": Email,
		"scope": "library_user email profile",
	}
	maps.Copy(all, claims)
	maps.DeleteFunc(all, func(_ string, value any) bool { return value == nil })
	return p.Sign(t, marshal(t, all), options...)
}

// Option changes the signature and the header of a token.
type Option func(*signing)

type signing struct {
	elliptic bool
	forged   bool
	header   map[string]any
}

// ES256 signs with the elliptic curve key instead of the RSA key.
func ES256() Option { return func(s *signing) { s.elliptic = true } }

// ForgedSignature signs with an unpublished key, in the name of the published one.
func ForgedSignature() Option { return func(s *signing) { s.forged = true } }

// Header replaces a member of the header; nil leaves it out. The signature is
// made with the usual key, whatever the header says.
func Header(name string, value any) Option {
	return func(s *signing) { s.header[name] = value }
}

// Sign returns a token with any payload at all.
func (p *Provider) Sign(t testing.TB, payload []byte, options ...Option) string {
	t.Helper()
	s := signing{header: map[string]any{}}
	for _, option := range options {
		option(&s)
	}
	keys := p.current()
	header := map[string]any{"typ": "JWT", "alg": "RS256", "kid": keys.rsaID()}
	if s.elliptic {
		header["alg"], header["kid"] = "ES256", keys.ecID()
	}
	maps.Copy(header, s.header)
	maps.DeleteFunc(header, func(_ string, value any) bool { return value == nil })
	if s.forged {
		keys = newKeyPair(t, forger)
	}
	signed := encode(marshal(t, header)) + "." + encode(payload)
	return signed + "." + encode(keys.sign(t, signed, s.elliptic))
}

func (k keyPair) sign(t testing.TB, text string, elliptic bool) []byte {
	t.Helper()
	digest := sha256.Sum256([]byte(text))
	if !elliptic {
		signature, err := rsa.SignPKCS1v15(nil, k.rsa, crypto.SHA256, digest[:])
		if err != nil {
			t.Fatalf("testidp: %v", err)
		}
		return signature
	}
	r, s, err := ecdsa.Sign(rand.Reader, k.ec, digest[:])
	if err != nil {
		t.Fatalf("testidp: %v", err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return signature
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("testidp: %v", err)
	}
	return b
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Unsigned returns a token with this header and these claims, without a signature.
func Unsigned(header, claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode([]byte(claims)) + ".sig"
}
