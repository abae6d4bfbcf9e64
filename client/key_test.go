package client

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// claimsOfProof reads what a proof says.
func claimsOfProof(t *testing.T, r *http.Request) (claims struct {
	HTM, HTU, Nonce, ATH, JTI string
	IAT                       int64
}) {
	t.Helper()
	segments := strings.Split(r.Header.Get("DPoP"), ".")
	if len(segments) != 3 {
		t.Errorf("no proof: %q", r.Header)
		return claims
	}
	payload, err := base64.RawURLEncoding.DecodeString(segments[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		t.Errorf("proof %s: %v", payload, err)
	}
	return claims
}

func newTestKey(t *testing.T) *Key {
	t.Helper()
	key, err := NewKey()
	testkit.NoError(t, err)
	return key
}

// sendWith sends a POST to a server with a token that is bound to the key.
func sendWith(t *testing.T, key *Key, address string) int {
	t.Helper()
	c, err := StaticSource(Token{Access: "token", Key: key}).Client(address)
	testkit.NoError(t, err)
	resp, err := c.Post(address+"/books?x=1", "text/plain", strings.NewReader("body"))
	testkit.NoError(t, err)
	resp.Body.Close()
	return resp.StatusCode
}

func TestABoundTokenIsSentWithANewProofEachTime(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	var s *httptest.Server
	s = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		c := claimsOfProof(t, r)
		if r.Header.Get("Authorization") != "DPoP token" || c.HTM != "POST" || c.HTU != s.URL+"/books" || c.ATH == "" || c.Nonce != "" || seen[c.JTI] {
			t.Errorf("%+v", c)
		}
		seen[c.JTI] = true
	}))
	defer s.Close()
	key := newTestKey(t)
	for range 3 {
		testkit.Equal(t, sendWith(t, key, s.URL), 200)
	}
}

// A nonce costs one more request the first time, and when it has changed.
func TestANonceIsUsedAsSoonAsItIsKnown(t *testing.T) {
	t.Parallel()
	var current atomic.Value
	current.Store("first")
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		nonce := current.Load().(string)
		w.Header().Set("DPoP-Nonce", nonce)
		if claimsOfProof(t, r).Nonce != nonce {
			w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce", algs="ES256"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	key := newTestKey(t)
	for _, c := range []struct {
		nonce    string
		requests int64
	}{{"first", 2}, {"first", 3}, {"second", 5}, {"second", 6}} {
		current.Store(c.nonce)
		testkit.Equal(t, sendWith(t, key, s.URL), 200)
		testkit.Equal(t, requests.Load(), c.requests)
	}
}

// A machine whose clock is wrong goes by that of the server, once it is refused.
func TestAWrongClockIsCorrectedByTheServers(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if off := time.Since(time.Unix(claimsOfProof(t, r).IAT, 0)).Abs(); off > time.Minute {
			w.Header().Set("WWW-Authenticate", `DPoP error="invalid_dpop_proof", algs="ES256"`)
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer s.Close()
	for _, off := range []time.Duration{0, -3 * time.Hour, 20 * time.Minute} {
		key := newTestKey(t)
		key.now = func() time.Time { return time.Now().Add(off) }
		testkit.Equal(t, sendWith(t, key, s.URL), 200)
	}
}

func TestAServerThatIsNeverContentIsNotAskedForEver(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("DPoP-Nonce", fmt.Sprint(requests.Add(1)))
		w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer s.Close()
	testkit.Equal(t, sendWith(t, newTestKey(t), s.URL), 401)
	testkit.Equal(t, requests.Load(), 3)
}

func TestAKeyIsStoredWithItsTokenAndNeverShown(t *testing.T) {
	t.Parallel()
	token := Token{Access: "a", Key: newTestKey(t)}
	text, err := json.Marshal(token)
	testkit.NoError(t, err)
	var again Token
	testkit.NoError(t, json.Unmarshal(text, &again))
	if !again.Key.private.Equal(token.Key.private) {
		t.Error("it is another key")
	}
	secret, _ := token.Key.MarshalJSON()
	for _, shown := range []string{fmt.Sprint(token, token.Key), fmt.Sprintf("%#v %+v", token, token.Key), token.Key.LogValue().String()} {
		if strings.Contains(shown, strings.Trim(string(secret), `"`)) || strings.Contains(shown, "private") {
			t.Errorf("shown: %s", shown)
		}
	}
	for _, bad := range []string{`{"key":7}`, `{"key":"x"}`, `{"key":""}`, `{"key":"AAAA"}`} {
		if json.Unmarshal([]byte(bad), new(Token)) == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}
