package auth

import (
	"crypto/ed25519"
	"crypto/rsa"
	"encoding/base64"
	"strings"
	"testing"
)

// A token that is accepted has one spelling: encoding its parts again gives it
// back, byte for byte.
func FuzzParseToken(f *testing.F) {
	good := ecSigner().token(nil)
	for _, seed := range []string{
		good, good + "=", good + "\n", strings.Replace(good, ".", "..", 1), "..", "a.b.c", "e30.e30.AA", "e30.e30.AB", "",
		encode(`{"alg":"none"}`) + ".e30.", encode(`{"alg":"ES256","alg":"none"}`) + ".e30.AA", encode(`{"alg":"EdDSA"}`) + ".\r\n.AA",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		parsed, refusal := parseToken(raw)
		if refusal != nil {
			if refusal.Status != 401 || refusal.Challenge == "" {
				t.Fatalf("%+v", refusal)
			}
			return
		}
		segments := strings.Split(raw, ".")
		for i, segment := range segments {
			data, err := base64.RawURLEncoding.DecodeString(segment)
			if err != nil || base64.RawURLEncoding.EncodeToString(data) != segment {
				t.Errorf("segment %d has another spelling: %q", i, segment)
			}
		}
		if len(segments) != 3 || encode(string(parsed.payload)) != segments[1] {
			t.Errorf("the payload is not that of %q", raw)
		}
		parsed.verify(newRing(nil))
	})
}

func FuzzParseHeader(f *testing.F) {
	for _, seed := range []string{
		`{"alg":"RS256","kid":"x","typ":"JWT"}`, `{"alg":"none"}`, `{"alg":"RS256","crit":[]}`, `{"alg":null}`,
		`{"alg":"ES256","kid":null}`, `{"alg":"PS256","b64":true}`, `{"alg":"EdDSA","typ":"at+jwt"}`, `[]`, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h, refusal := parseHeader(data, bearerType)
		if refusal != nil {
			return
		}
		m, err := parseMembers(data)
		if err != nil || !h.algorithm.allowed() || m.has("crit") || m.has("b64") || h.hasKid != m.has("kid") {
			t.Errorf("%+v from %s", h, data)
		}
	})
}

func FuzzAuthorizationField(f *testing.F) {
	for _, seed := range []string{"Bearer x", "bearer", "Bearer\tx", "Basic YTpi", "Basic =", " ", "Bearer  a.b.c ", "Basic YTo\n="} {
		f.Add(seed, "q=1&access_token=x")
	}
	f.Fuzz(func(t *testing.T, field, query string) {
		r := requestWith(field)
		r.URL.RawQuery = query
		if token, refusal := tokenOf(r, "bearer"); refusal == nil && (token == "" || !strings.HasSuffix(strings.TrimRight(field, " "), token)) {
			t.Errorf("%q from %q", token, field)
		}
		if login, password, ok := basicCredentials(r); ok && (login == "" || strings.Contains(login, ":") || len(password) > 72) {
			t.Errorf("%q, %q from %q", login, password, field)
		}
	})
}

func FuzzParseJWKS(f *testing.F) {
	f.Add([]byte(jwks(rsaSigner(), ecSigner(), edSigner())))
	for _, seed := range []string{
		`{"keys":[]}`, `{"keys":[{"kty":"oct","k":"AA"},17,null,{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}]}`,
		`{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}`, `{"keys":[{"kty":"RSA","n":"AA","e":"AQAB"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		keys, _, err := parseJWKS(data)
		if err != nil {
			return
		}
		if len(keys.keys) == 0 || len(keys.keys) > maxKeys {
			t.Errorf("%d keys", len(keys.keys))
		}
		for _, k := range keys.keys {
			if !is[*rsa.PublicKey](k.public) && !is[ed25519.PublicKey](k.public) && !algorithm("ES256").worksWith(k.public) &&
				!algorithm("ES384").worksWith(k.public) && !algorithm("ES512").worksWith(k.public) {
				t.Errorf("a key of type %T", k.public)
			}
		}
	})
}

func FuzzParsePasswords(f *testing.F) {
	const hash = "$2b$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
	for _, seed := range []string{"a:" + hash, "# x\n\na@b:" + hash + "\r\nA@b:" + hash, ":", "a:$2b$", "\xff:" + hash} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parsePasswords(data)
		if err != nil {
			return
		}
		if len(p.accounts) == 0 || len(p.accounts) != len(p.decoys) {
			t.Errorf("%d accounts, %d decoys", len(p.accounts), len(p.decoys))
		}
		for login, a := range p.accounts {
			if login == "" || foldASCII(a.identity.Email) != login || len(a.hash) != bcryptSize {
				t.Errorf("%q: %q %q", login, a.identity.Email, a.hash)
			}
		}
	})
}
