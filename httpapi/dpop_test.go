package httpapi_test

import (
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/auth"
	"example.org/library/auth/dpop"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

const (
	proofAlgorithms = `algs="ES256 ES384 ES512 EdDSA PS256 PS384 PS512 RS256 RS384 RS512"`
	dpopOffer       = `DPoP ` + proofAlgorithms
)

// dpopWorld is a world whose callers may have tokens that are bound to a key.
type dpopWorld struct {
	*world
	scheme    *dpop.Scheme
	now       time.Time // for proofs
	key       *testidp.ProofKey
	dpopToken string // of Bruce Wayne, bound to the key
}

func newDPoPWorld(t testing.TB, mode dpop.Mode, changes ...func(*dpop.Config)) *dpopWorld {
	t.Helper()
	return newDPoPWorldWith(t, mode, func(*setup) {}, changes...)
}

func newDPoPWorldWith(t testing.TB, mode dpop.Mode, more func(*setup), changes ...func(*dpop.Config)) *dpopWorld {
	t.Helper()
	var scheme *dpop.Scheme
	now := time.Now() // stands still: a test may be stopped for as long as a proof is good
	w := newWorld(t, func(s *setup) {
		more(s)
		s.auth.BoundTokens = true
		cfg := dpop.Config{Bearer: bearer(t, *s, slog.Default()).(*auth.Bearer), Mode: mode, BasePath: s.base, Now: func() time.Time { return now }}
		for _, change := range changes {
			change(&cfg)
		}
		var err error
		scheme, err = dpop.New(cfg)
		testkit.NoError(t, err)
		s.scheme = scheme
	})
	key := testidp.NewProofKey(t)
	return &dpopWorld{world: w, scheme: scheme, now: now, key: key, dpopToken: w.idp.Mint(t, key.Bound())}
}

func (w *dpopWorld) url(path string) string { return w.server.URL + w.base + path }

// proof is a proof for GET /books, with changed claims.
func (w *dpopWorld) proof(t testing.TB, claims testidp.Claims, header map[string]any) string {
	t.Helper()
	return w.proofFor(t, http.MethodGet, "/books", w.dpopToken, claims, header)
}

func (w *dpopWorld) proofFor(t testing.TB, method, path, token string, claims testidp.Claims, header map[string]any) string {
	t.Helper()
	all := testidp.Claims{"iat": w.now.Unix()}
	maps.Copy(all, claims)
	return w.key.Proof(t, method, w.url(path), token, all, header)
}

func dpopHeader(token string, proofs ...string) http.Header {
	return http.Header{"Authorization": {"DPoP " + token}, "Dpop": proofs}
}

// proofRefused is the challenge to a caller who may use bearer tokens, too.
func proofRefused(code, description string) string {
	return `DPoP error="` + code + `", error_description="` + description + `", ` + proofAlgorithms + `, Bearer`
}

func invalidProof(description string) string {
	return proofRefused("invalid_dpop_proof", "The DPoP proof "+description)
}

func TestBoundTokensAreTakenWithAGoodProof(t *testing.T) {
	t.Parallel()
	for _, mode := range []dpop.Mode{dpop.Allowed, dpop.Required} {
		w := newDPoPWorld(t, mode)
		good := func(claims testidp.Claims) http.Header { return dpopHeader(w.dpopToken, w.proof(t, claims, nil)) }
		lower := good(nil)
		lower["Authorization"] = []string{"dpop   " + w.dpopToken}
		for situation, header := range map[string]http.Header{
			"the first time":                   good(nil),
			"again, with another proof":        good(nil),
			"the scheme in another case":       lower,
			"a proof of almost a minute ago":   good(testidp.Claims{"iat": w.now.Add(-50 * time.Second).Unix()}),
			"a proof of the clock of a caller": good(testidp.Claims{"iat": w.now.Add(50 * time.Second).Unix()}),
			"an iat with a fraction":           good(testidp.Claims{"iat": float64(w.now.Unix()) + 0.5}),
			"htu with a query":                 good(testidp.Claims{"htu": w.url("/books?q=x")}),
			"htu with a fragment":              good(testidp.Claims{"htu": w.url("/books#x")}),
			"htu with the scheme in capitals":  good(testidp.Claims{"htu": strings.Replace(w.url("/books"), "http:", "HTTP:", 1)}),
			"htu with needless escapes":        good(testidp.Claims{"htu": w.url("/%62ooks")}),
			"claims that nobody knows":         good(testidp.Claims{"iss": "me", "nonce": "x", "exp": 1}),
		} {
			a := w.send(t, request{path: "/books?limit=1", header: header})
			if a.status != 200 {
				t.Errorf("%s, %s: %d %s", mode, situation, a.status, a.body)
			}
		}
		borrow := "/books/" + cleanCode + "/borrow"
		w.send(t, request{method: http.MethodPost, path: borrow, header: dpopHeader(w.dpopToken, w.proofFor(t, http.MethodPost, borrow, w.dpopToken, nil, nil))}).want(t, 200, "")
	}
}

// TestAttacksOnBoundTokens is what a thief of a token, or of a proof, may try.
func TestAttacksOnBoundTokens(t *testing.T) {
	t.Parallel()
	w := newDPoPWorld(t, dpop.Allowed)
	thief := testidp.NewProofKey(t)
	used := w.proof(t, nil, nil)
	w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, used)}).want(t, 200, "")
	with := func(claims testidp.Claims, header map[string]any) http.Header {
		return dpopHeader(w.dpopToken, w.proof(t, claims, header))
	}
	htu := func(path string) http.Header { return with(testidp.Claims{"htu": w.url(path)}, nil) }
	at := func(d time.Duration) http.Header {
		return with(testidp.Claims{"iat": w.now.Add(d).Unix()}, nil)
	}
	other := w.idp.Mint(t, w.key.Bound())
	unbound := w.idp.Mint(t, nil)
	good := w.proof(t, nil, nil)
	const (
		method    = "is for another method (htm)"
		address   = "is for another address (htu)"
		ath       = "is for another token (ath)"
		late      = "was not made within 60 seconds of the time of the service (iat)"
		noID      = "has no usable identifier (jti)"
		malformed = "is malformed"
		badKey    = "has an unusable key"
		badAlg    = "has an unsupported algorithm"
		badType   = "is of another type"
		forged    = "has an invalid signature"
	)
	otherKey := proofRefused("invalid_token", "The DPoP proof was signed with a key other than the token's")
	for _, c := range []struct {
		attack    string
		header    http.Header
		challenge string
		code      string
	}{
		{"no proof", dpopHeader(w.dpopToken), invalidProof("is missing"), "invalid_dpop_proof"},
		{"an empty proof", dpopHeader(w.dpopToken, ""), invalidProof(malformed), "invalid_dpop_proof"},
		{"two proofs", dpopHeader(w.dpopToken, good, good), proofRefused("invalid_dpop_proof", "The request has more than one DPoP proof"), "invalid_dpop_proof"},
		{"two proofs in one field", dpopHeader(w.dpopToken, good+", "+good), invalidProof(malformed), "invalid_dpop_proof"},
		{"another method", with(testidp.Claims{"htm": "POST"}, nil), invalidProof(method), "invalid_dpop_proof"},
		{"the method in another case", with(testidp.Claims{"htm": "get"}, nil), invalidProof(method), "invalid_dpop_proof"},
		{"no method", with(testidp.Claims{"htm": nil}, nil), invalidProof(method), "invalid_dpop_proof"},
		{"another path", htu("/loans"), invalidProof(address), "invalid_dpop_proof"},
		{"a path with a slash behind it", htu("/books/"), invalidProof(address), "invalid_dpop_proof"},
		{"a path in capitals", htu("/Books"), invalidProof(address), "invalid_dpop_proof"},
		{"a path with dots", htu("/users/../books"), invalidProof(address), "invalid_dpop_proof"},
		{"another host", with(testidp.Claims{"htu": "http://evil.example/library-server/books"}, nil), invalidProof(address), "invalid_dpop_proof"},
		{"another port", with(testidp.Claims{"htu": "http://127.0.0.1:1/library-server/books"}, nil), invalidProof(address), "invalid_dpop_proof"},
		{"another scheme", with(testidp.Claims{"htu": strings.Replace(w.url("/books"), "http:", "https:", 1)}, nil), invalidProof(address), "invalid_dpop_proof"},
		{"a path alone", with(testidp.Claims{"htu": "/library-server/books"}, nil), invalidProof(address), "invalid_dpop_proof"},
		{"an address with a name in it", with(testidp.Claims{"htu": strings.Replace(w.url("/books"), "http://", "http://me@", 1)}, nil), invalidProof(address), "invalid_dpop_proof"},
		{"no address", with(testidp.Claims{"htu": nil}, nil), invalidProof(address), "invalid_dpop_proof"},
		{"the proof for another token", with(testidp.Claims{"ath": testidp.TokenHash(other)}, nil), invalidProof(ath), "invalid_dpop_proof"},
		{"no ath, as at a token endpoint", with(testidp.Claims{"ath": nil}, nil), invalidProof(ath), "invalid_dpop_proof"},
		{"an ath with padding", with(testidp.Claims{"ath": testidp.TokenHash(w.dpopToken) + "="}, nil), invalidProof(ath), "invalid_dpop_proof"},
		{"an old proof", at(-70 * time.Second), invalidProof(late), "invalid_dpop_proof"},
		{"a proof of the future", at(70 * time.Second), invalidProof(late), "invalid_dpop_proof"},
		{"no time", with(testidp.Claims{"iat": nil}, nil), invalidProof(late), "invalid_dpop_proof"},
		{"a time as text", with(testidp.Claims{"iat": "1700000000"}, nil), invalidProof(late), "invalid_dpop_proof"},
		{"a replayed proof", dpopHeader(w.dpopToken, used), invalidProof("was used before (jti)"), "invalid_dpop_proof"},
		{"no jti", with(testidp.Claims{"jti": nil}, nil), invalidProof(noID), "invalid_dpop_proof"},
		{"an empty jti", with(testidp.Claims{"jti": ""}, nil), invalidProof(noID), "invalid_dpop_proof"},
		{"a jti that is a number", with(testidp.Claims{"jti": 7}, nil), invalidProof(noID), "invalid_dpop_proof"},
		{"a long jti", with(testidp.Claims{"jti": strings.Repeat("x", 257)}, nil), invalidProof(noID), "invalid_dpop_proof"},
		{"another key", dpopHeader(w.dpopToken, thief.Proof(t, "GET", w.url("/books"), w.dpopToken, testidp.Claims{"iat": w.now.Unix()}, nil)), otherKey, "bound_token"},
		{"another key that says it is the right one", dpopHeader(w.dpopToken, thief.Proof(t, "GET", w.url("/books"), w.dpopToken, testidp.Claims{"iat": w.now.Unix()}, map[string]any{"jwk": w.key.JWK()})), invalidProof(forged), "invalid_dpop_proof"},
		{"a changed proof", dpopHeader(w.dpopToken, tampered(good)), invalidProof(forged), "invalid_dpop_proof"},
		{"a private key in the header", with(nil, map[string]any{"jwk": w.key.PrivateJWK()}), invalidProof(badKey), "invalid_dpop_proof"},
		{"a symmetric key in the header", with(nil, map[string]any{"jwk": map[string]string{"kty": "oct", "k": "AAAA"}}), invalidProof(badKey), "invalid_dpop_proof"},
		{"no key", with(nil, map[string]any{"jwk": nil}), invalidProof(badKey), "invalid_dpop_proof"},
		{"the name of a key", with(nil, map[string]any{"jwk": nil, "kid": "ec-0"}), invalidProof(badKey), "invalid_dpop_proof"},
		{"another algorithm", with(nil, map[string]any{"alg": "RS256"}), invalidProof(badKey), "invalid_dpop_proof"},
		{"a larger curve", with(nil, map[string]any{"alg": "ES384"}), invalidProof(badKey), "invalid_dpop_proof"},
		{"no algorithm", with(nil, map[string]any{"alg": "none"}), invalidProof(badAlg), "invalid_dpop_proof"},
		{"a symmetric algorithm", with(nil, map[string]any{"alg": "HS256"}), invalidProof(badAlg), "invalid_dpop_proof"},
		{"a critical extension", with(nil, map[string]any{"crit": []string{"x"}}), invalidProof(malformed), "invalid_dpop_proof"},
		{"another type", with(nil, map[string]any{"typ": "JWT"}), invalidProof(badType), "invalid_dpop_proof"},
		{"no type", with(nil, map[string]any{"typ": nil}), invalidProof(badType), "invalid_dpop_proof"},
		{"a token as proof", dpopHeader(w.dpopToken, w.dpopToken), invalidProof(badType), "invalid_dpop_proof"},
		{"a duplicate claim", dpopHeader(w.dpopToken, w.key.Sign(t, []byte(`{"typ":"dpop+jwt"}`), []byte(`{"jti":"a","jti":"b"}`))), invalidProof(malformed), "invalid_dpop_proof"},
		{"more than 8 KiB", dpopHeader(w.dpopToken, w.proof(t, testidp.Claims{"x": strings.Repeat("x", 8<<10)}, nil)), invalidProof(malformed), "invalid_dpop_proof"},

		{"a proof as token", dpopHeader(good, good), proofRefused("invalid_token", "The token is not an access token"), "wrong_token_type"},
		{"an unbound token", dpopHeader(unbound, w.proofFor(t, "GET", "/books", unbound, nil, nil)), proofRefused("invalid_token", "The token is not bound to a key"), "unbound_token"},
		{"nothing after the scheme", field("Authorization", "DPoP"), proofRefused("invalid_token", "Bearer token is malformed"), "malformed_token"},
		{"a downgrade to Bearer", bearerHeader(w.dpopToken), invalid("The token is bound to a key without a proof of it") + ", " + dpopOffer, "bound_token"},
		{"a downgrade to Bearer with a proof", http.Header{"Authorization": {"Bearer " + w.dpopToken}, "Dpop": {good}}, invalid("The token is bound to a key without a proof of it") + ", " + dpopOffer, "bound_token"},
		{"a bad token as Bearer", bearerHeader("x"), invalid("Bearer token is malformed") + ", " + dpopOffer, "malformed_token"},
		{"a proof without a token", field("Dpop", good), "Bearer, " + dpopOffer, "missing_token"},
		{"nothing at all", nil, "Bearer, " + dpopOffer, "missing_token"},
		{"another scheme of credentials", field("Authorization", "Basic YTpi"), "Bearer, " + dpopOffer, "missing_token"},
	} {
		t.Run(c.attack, func(t *testing.T) {
			t.Parallel()
			a := w.send(t, request{path: "/books", header: c.header}).want(t, 401, c.code)
			want := c.challenge
			if strings.HasPrefix(want, `DPoP error="invalid_token"`) && c.code != "bound_token" {
				want = strings.Replace(want, `", algs`, `"`+errorURI+`, algs`, 1)
			}
			if got := strings.Join(a.header.Values("WWW-Authenticate"), "|"); got != want {
				t.Errorf("WWW-Authenticate\n got %s\nwant %s", got, want)
			}
		})
	}
	w.send(t, request{path: "/books", header: dpopHeader(w.dpopToken, good)}).want(t, 200, "") // none of them has used it up
}

// tampered is a proof with another first character in its signature.
func tampered(proof string) string {
	segments := strings.Split(proof, ".")
	first := "A"
	if segments[2][0] == 'A' {
		first = "B"
	}
	return segments[0] + "." + segments[1] + "." + first + segments[2][1:]
}
