package dpop

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"example.org/library/auth"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// newTestScheme returns a scheme for tokens of the provider, at that time.
func newTestScheme(t testing.TB, idp *testidp.Provider, now func() time.Time) *Scheme {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: idp.Issuer()})
	go keys.Run(ctx)
	s, err := New(Config{
		Bearer: auth.NewBearer(auth.Config{Issuer: idp.Issuer(), Audience: testidp.Audience, Keys: keys, BoundTokens: true}),
		Mode:   Allowed, BasePath: "/library-server", Now: now,
	})
	testkit.NoError(t, err)
	return s
}

const booksURL = "http://library.test/library-server/books"

func requestWith(token, proof string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, booksURL, nil)
	r.Header.Set("Authorization", "DPoP "+token)
	r.Header.Set("DPoP", proof)
	return r
}

func codeOf(_ *auth.Identity, err error) string {
	if err == nil {
		return ""
	}
	return err.(*auth.Error).Code
}

// TestProofsOfEveryAlgorithm makes them with go-jose, as programs of others do.
func TestProofsOfEveryAlgorithm(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := newTestScheme(t, idp, nil)
	for _, alg := range auth.Algorithms() {
		private := newKey(t, alg)
		public := jose.JSONWebKey{Key: private.Public()}
		sum, err := public.Thumbprint(crypto.SHA256)
		testkit.NoError(t, err)
		token := idp.Mint(t, testidp.Claims{"cnf": map[string]string{"jkt": encode(sum)}})
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.SignatureAlgorithm(alg), Key: private}, (&jose.SignerOptions{}).WithType("dpop+jwt").WithHeader("jwk", public))
		testkit.NoError(t, err)
		claims, err := json.Marshal(map[string]any{"jti": alg, "htm": "GET", "htu": booksURL, "iat": time.Now().Unix(), "ath": testidp.TokenHash(token)})
		testkit.NoError(t, err)
		signed, err := signer.Sign(claims)
		testkit.NoError(t, err)
		proof, err := signed.CompactSerialize()
		testkit.NoError(t, err)
		testkit.Equal(t, codeOf(s.Authenticate(requestWith(token, proof))), "")
		testkit.Equal(t, codeOf(s.Authenticate(requestWith(token, proof))), CodeInvalidProof)
	}
}

func newKey(t testing.TB, alg string) crypto.Signer {
	t.Helper()
	var private crypto.Signer
	var err error
	switch alg[:2] {
	case "RS", "PS":
		private, err = rsaKey()
	case "Ed":
		_, private, err = ed25519.GenerateKey(rand.Reader)
	default:
		curve := map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521()}[alg]
		private, err = ecdsa.GenerateKey(curve, rand.Reader)
	}
	testkit.NoError(t, err)
	return private
}

func rsaKey() (crypto.Signer, error) { return rsa.GenerateKey(rand.Reader, 2048) }

// The holder of a token chooses the key, and its size is work for each request.
func TestRSAKeysOfProofsHaveAtMost4096Bits(t *testing.T) {
	t.Parallel()
	for bits, want := range map[int]error{2048: nil, 4096: nil, 4104: auth.ErrProofKey, 8192: auth.ErrProofKey} {
		n := new(big.Int).SetBit(big.NewInt(1), bits-1, 1)
		header, err := json.Marshal(map[string]any{"typ": "dpop+jwt", "alg": "RS256", "jwk": map[string]string{"kty": "RSA", "e": "AQAB", "n": encode(n.Bytes())}})
		testkit.NoError(t, err)
		_, err = auth.ParseSelfSigned(encode(header)+"."+encode([]byte("{}"))+"."+encode([]byte("x")), "dpop+jwt", maxProofSize)
		testkit.Equal(t, err, want)
	}
}

// A proof counts for a minute to both sides of its time, and for not a second more.
func TestTheWindowOfAProof(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	now := time.Now().Truncate(time.Second)
	s := newTestScheme(t, idp, func() time.Time { return now })
	key := testidp.NewProofKey(t)
	token := idp.Mint(t, key.Bound())
	for offset, want := range map[int]string{-61: CodeInvalidProof, -60: "", 0: "", 60: "", 61: CodeInvalidProof} {
		proof := key.Proof(t, "GET", booksURL, token, testidp.Claims{"iat": now.Unix() + int64(offset)}, nil)
		if got := codeOf(s.Authenticate(requestWith(token, proof))); got != want {
			t.Errorf("%d s: %q, want %q", offset, got, want)
		}
	}
}

// The token is recognized, the proof is checked every time: a replay by Recognize is
// one, too.
func TestWhoIsRecognizedHasShownANewProof(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := newTestScheme(t, idp, nil)
	key := testidp.NewProofKey(t)
	token := idp.Mint(t, key.Bound())
	proof := func() string { return key.Proof(t, "GET", booksURL, token, nil, nil) }
	first := proof()
	if s.Recognize(requestWith(token, first)) != nil {
		t.Error("a token is recognized that was never seen")
	}
	testkit.Equal(t, codeOf(s.Authenticate(requestWith(token, first))), "")
	if s.Recognize(requestWith(token, first)) != nil || s.Recognize(requestWith(token, "")) != nil {
		t.Error("a replay, or no proof, is recognized")
	}
	if id := s.Recognize(requestWith(token, proof())); id == nil || id.Email != testidp.Email {
		t.Errorf("recognized %+v", id)
	}
	bearer := requestWith(token, proof())
	bearer.Header.Set("Authorization", "Bearer "+token)
	if s.Recognize(bearer) != nil {
		t.Error("a bound token is recognized as Bearer")
	}
}

func TestAJTIIsRememberedForAsLongAsItsProofIsGood(t *testing.T) {
	t.Parallel()
	m := newReplays(1000)
	now := time.Now()
	if !m.isNew("key", "a", now) || m.isNew("key", "a", now) || !m.isNew("other key", "a", now) {
		t.Error("a jti counts once for each key")
	}
	for _, later := range []time.Duration{time.Second, window, 2*window - 1, 2 * window} {
		m = newReplays(1000)
		m.isNew("key", "before", now.Add(-window)) // so that the half is not new
		m.isNew("key", "a", now)
		if m.isNew("key", "a", now.Add(later)) {
			t.Errorf("it is forgotten after %v", later)
		}
	}
	m.isNew("key", "b", now.Add(5*window))
	if !m.isNew("key", "a", now.Add(10*window)) {
		t.Error("it is never forgotten")
	}
}

func TestTheMemoryOfJTIsIsBounded(t *testing.T) {
	t.Parallel()
	const most = 100
	m := newReplays(most)
	now := time.Now()
	for i := range 10 * most {
		m.isNew("key", strconv.Itoa(i), now)
		if n := len(m.younger) + len(m.older); n > 2*most {
			t.Fatalf("%d are remembered", n)
		}
	}
	for i := range most {
		if m.isNew("key", strconv.Itoa(9*most+i), now) {
			t.Errorf("%d, one of the newest, is forgotten", i)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	own, err := newAddresses("", "/api")
	testkit.NoError(t, err)
	plain := httptest.NewRequest("GET", "/api/codes/a%2Db%c3%a4", nil)
	plain.Host = "Library.test:80"
	secure := httptest.NewRequest("GET", "/", nil)
	secure.Host, secure.TLS = "[::1]:443", &tls.ConnectionState{}
	for _, c := range []struct {
		htu  string
		r    *http.Request
		want bool
	}{
		{"http://library.test/api/codes/a-b%C3%A4", plain, true},
		{"HTTP://LIBRARY.TEST:80/api/codes/a%2db%C3%a4?q#f", plain, true},
		{"http://library.test:/api/codes/a-b%C3%A4", plain, true},
		{"http://library.test/api/codes/a-bä", plain, true},
		{"http://library.test/api/codes/a-b%E4", plain, false},
		{"http://library.test/api/codes%2Fa-b%C3%A4", plain, false},
		{"http://library.test:443/api/codes/a-b%C3%A4", plain, false},
		{"http://library.test./api/codes/a-b%C3%A4", plain, false},
		{"http://library.test/api/./codes/a-b%C3%A4", plain, false},
		{"https://[::1]", secure, true},
		{"https://[::1]:443/", secure, true},
		{"http://[::1]:443/", secure, false},
		{"https://[::1]//", secure, false},
		{"https:[::1]", secure, false},
		{"//[::1]/", secure, false},
		{"", secure, false},
		{"%", secure, false},
	} {
		if got := own.is(c.htu, c.r); got != c.want {
			t.Errorf("%s for %s: %v", c.htu, c.r.Host, got)
		}
	}
	if _, err := newAddresses("library.example.org", ""); err == nil {
		t.Error("an address without a scheme is taken")
	}
	for _, c := range []struct{ public, base, path, want string }{
		{"https://a.example", "/api", "/api/books", "https://a.example/books"},
		{"https://a.example/x/", "/api", "/api", "https://a.example/x"},
		{"https://a.example/x", "", "/books", "https://a.example/x/books"},
		{"https://a.example/x", "/api", "/apis", "https://a.example/apis"}, // not of the API: 404 after all
	} {
		public, err := newAddresses(c.public, c.base)
		testkit.NoError(t, err)
		if !public.is(c.want, httptest.NewRequest("GET", c.path, nil)) {
			t.Errorf("%+v: %+v", c, public.of(httptest.NewRequest("GET", c.path, nil)))
		}
	}
}
