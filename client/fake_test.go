package client

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	jose "github.com/go-jose/go-jose/v4"

	"example.org/library/internal/testkit"
)

// fake is a provider that can be made to misbehave. Its endpoints are handlers
// to be replaced before the first request.
type fake struct {
	*httptest.Server
	document  map[string]any
	discovery http.HandlerFunc
	token     http.HandlerFunc
	keys      http.HandlerFunc
	revoke    http.HandlerFunc
}

func startFake(t testing.TB) *fake {
	t.Helper()
	f := &fake{}
	mux := http.NewServeMux()
	mux.HandleFunc(wellKnown, func(w http.ResponseWriter, r *http.Request) { f.discovery(w, r) })
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) { f.token(w, r) })
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) { f.keys(w, r) })
	mux.HandleFunc("/revoke", func(w http.ResponseWriter, r *http.Request) { f.revoke(w, r) })
	f.Server = httptest.NewServer(mux)
	t.Cleanup(f.Close)
	f.document = map[string]any{
		"issuer": f.URL, "authorization_endpoint": f.URL + "/auth", "token_endpoint": f.URL + "/token",
		"jwks_uri": f.URL + "/keys", "revocation_endpoint": f.URL + "/revoke",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	f.discovery = func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, http.StatusOK, f.document) }
	f.keys = func(w http.ResponseWriter, _ *http.Request) {
		sendJSON(w, http.StatusOK, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
			{Key: signingKey().Public(), KeyID: "k", Algorithm: "ES256", Use: "sig"},
		}})
	}
	f.token = func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, http.StatusOK, goodToken()) }
	return f
}

func sendJSON(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document)
}

// goodToken is a token response, with changes; nil takes a member away.
func goodToken(changes ...any) map[string]any {
	m := map[string]any{
		"access_token": "access", "token_type": "Bearer", "expires_in": 300,
		"refresh_token": "refresh", "refresh_expires_in": 1800, "scope": "library_user email",
	}
	return changed(m, changes...)
}

func changed(base map[string]any, changes ...any) map[string]any {
	m := maps.Clone(base)
	for i := 0; i < len(changes); i += 2 {
		if name := changes[i].(string); changes[i+1] == nil {
			delete(m, name)
		} else {
			m[name] = changes[i+1]
		}
	}
	return m
}

var signingKey = sync.OnceValue(newKey)

func newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return key
}

// sign makes a JWT.
func sign(t testing.TB, algorithm jose.SignatureAlgorithm, key any, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: key},
		(&jose.SignerOptions{}).WithHeader("kid", "k"))
	testkit.NoError(t, err)
	payload, err := json.Marshal(claims)
	testkit.NoError(t, err)
	signed, err := signer.Sign(payload)
	testkit.NoError(t, err)
	text, err := signed.CompactSerialize()
	testkit.NoError(t, err)
	return text
}

// idClaims are the claims of a good ID token, with changes.
func (f *fake) idClaims(nonce string, changes ...any) map[string]any {
	return changed(map[string]any{
		"iss": f.URL, "sub": "somebody", "aud": terminal.ID, "nonce": nonce,
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	}, changes...)
}
