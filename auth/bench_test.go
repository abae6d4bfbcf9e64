package auth

import (
	"net/http"
	"strings"
	"testing"
)

// benchToken is of the size that Keycloak makes: about 1.2 KiB.
func benchToken(s signingKey) string {
	return s.token(map[string]any{
		"sub": "f7f2a4d1-6c1f-4f55-8e0e-1f0a4d0b9c1e", "azp": "library-client", "jti": "b1b0a0c2-2c6e-4d4b-9f5d-5b5a7d1f4e11",
		"session_state": "2f1a8a59-7b5d-4d0a-9a79-1c6f8f3f9b0e", "name": "Bruce Wayne", "preferred_username": "bwayne",
		"given_name": "Bruce", "family_name": "Wayne", "groups": []string{"library_user"},
	})
}

func benchRequest(b *testing.B, bearer *Bearer, s signingKey) *http.Request {
	r := requestWith("Bearer " + benchToken(s))
	if _, err := bearer.Authenticate(r); err != nil {
		b.Fatal(err)
	}
	return r
}

// The way of nearly every request.
func BenchmarkBearerCached(b *testing.B) {
	bearer := newTestBearer(newProvider(jwks(rsaSigner())))
	r := benchRequest(b, bearer, rsaSigner())
	b.Run("one at a time", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := bearer.Authenticate(r); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("parallel", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				if _, err := bearer.Authenticate(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// The first request with a token.
func BenchmarkBearerUncached(b *testing.B) {
	for _, s := range []signingKey{rsaSigner(), ecSigner(), edSigner()} {
		bearer := newTestBearer(newProvider(jwks(s)), func(c *Config) { c.CacheSize = -1 })
		r := benchRequest(b, bearer, s)
		b.Run(s.alg, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bearer.Authenticate(r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// What a flood of bad tokens costs each.
func BenchmarkBearerRefused(b *testing.B) {
	bearer := newTestBearer(newProvider(jwks(ecSigner())))
	benchRequest(b, bearer, ecSigner())
	for name, token := range map[string]string{
		"garbage": strings.Repeat("x", 1200),
		"expired": ecSigner().token(map[string]any{"exp": 1}),
	} {
		r := requestWith("Bearer " + token)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := bearer.Authenticate(r); err == nil {
					b.Fatal("accepted")
				}
			}
		})
	}
}
