package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"example.org/library/internal/testidp"
)

// keyServer stands before a provider and spoils what it says.
type keyServer struct {
	idp      *testidp.Provider
	server   *httptest.Server
	down     atomic.Bool  // connections break
	fetches  atomic.Int64 // answered or not
	beside   []any        // entries of the key set before the good ones
	issuer   string       // what the discovery document says; "" for the truth
	redirect bool         // to the provider's own address, which is another host
}

// newKeyServer starts a key server. What is to be wrong with it is set before it
// starts, because its handlers read it.
func newKeyServer(t testing.TB, spoil ...func(*keyServer)) *keyServer {
	k := &keyServer{idp: testidp.New(t)}
	for _, s := range spoil {
		s(k)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/keys", k.serveKeys)
	mux.HandleFunc("/.well-known/openid-configuration", k.serveDiscovery)
	k.server = httptest.NewUnstartedServer(mux) // the handlers use k.server
	k.server.Start()
	t.Cleanup(k.server.Close)
	return k
}

func (k *keyServer) keysURL() string { return k.server.URL + "/keys" }

// start starts a server that gets the provider's keys through the key server.
func (k *keyServer) start(t testing.TB, args ...string) *server {
	t.Helper()
	return startWith(t, k.idp, append([]string{"--jwks-url", k.keysURL(), "--database", emptySQLite(t), "--sample-data"}, args...)...)
}

func (k *keyServer) serveKeys(w http.ResponseWriter, r *http.Request) {
	k.fetches.Add(1)
	if k.down.Load() {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	if k.redirect {
		http.Redirect(w, r, k.idp.KeysURL(), http.StatusFound)
		return
	}
	resp, err := http.Get(k.idp.KeysURL())
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	var set struct {
		Keys []any `json:"keys"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&set); err != nil {
		panic(http.ErrAbortHandler)
	}
	set.Keys = append(append([]any{}, k.beside...), set.Keys...)
	json.NewEncoder(w).Encode(set)
}

func (k *keyServer) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	issuer := k.issuer
	if issuer == "" {
		issuer = k.server.URL
	}
	json.NewEncoder(w).Encode(map[string]string{"issuer": issuer, "jwks_uri": k.keysURL()})
}
