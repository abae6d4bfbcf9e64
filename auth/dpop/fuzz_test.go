package dpop

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/library/auth"
	"example.org/library/internal/testidp"
)

// FuzzProof: a proof that is good for a request is small, one, of the right key, and no
// second one of other bytes is as good as it without the key.
func FuzzProof(f *testing.F) {
	key := testidp.NewProofKey(f)
	address, _ := newAddresses("", "")
	now := time.Now()
	token := auth.Digest{}
	good := key.Proof(f, "GET", booksURL, "", testidp.Claims{"ath": encode(token[:])}, nil)
	for _, seed := range []string{good, "", "..", "e30.e30.AA", good + "=", strings.Replace(good, ".", "..", 1), good + ", " + good,
		key.Sign(f, []byte(`{"typ":"dpop+jwt","alg":"none","jwk":{}}`), []byte(`{}`)),
		key.Sign(f, []byte(`{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}`), []byte(`{"iat":1e999}`)),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, proof string) {
		s := &Scheme{mode: Required, address: address, seen: newReplays(10), now: func() time.Time { return now }}
		r := httptest.NewRequest("GET", booksURL, nil)
		r.Header["Dpop"] = []string{proof}
		refusal := s.checkProof(r, key.Thumbprint(), token)
		if refusal == nil && proof != good {
			t.Errorf("%q is taken", proof)
		}
		if refusal != nil && (refusal.Status != 401 || !strings.HasPrefix(refusal.Challenge, "DPoP error=") || strings.Count(refusal.Challenge, `"`) != 4) {
			t.Errorf("%+v", refusal)
		}
	})
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []string{booksURL, "http://a/%", "http://a/%7e%2f%zz", "http://[::1]:80", "//a", "http://a:b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, htu string) {
		first, ok := parseAddress(htu)
		if !ok {
			return
		}
		host := first.host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if first.port != "" {
			host += ":" + first.port
		}
		again, ok := parseAddress(first.scheme + "://" + host + first.path)
		if ok && again != first { // what has no second reading is equal to nothing
			t.Errorf("%q is %+v, and that is %+v", htu, first, again)
		}
	})
}
