package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"example.org/library/internal/testidp"
)

// keyServer stands before the key set of a provider and can be down.
type keyServer struct {
	idp    *testidp.Provider
	server *httptest.Server
	down   atomic.Bool // connections break
}

func newKeyServer(t testing.TB) *keyServer {
	k := &keyServer{idp: testidp.New(t)}
	k.server = httptest.NewServer(k)
	t.Cleanup(k.server.Close)
	return k
}

// start starts a server that gets the provider's keys through the key server.
func (k *keyServer) start(t testing.TB) *server {
	t.Helper()
	return startWith(t, k.idp, "--jwks-url", k.server.URL, "--database", emptySQLite(t), "--sample-data")
}

func (k *keyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if k.down.Load() {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	resp, err := http.Get(k.idp.KeysURL())
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer resp.Body.Close()
	io.Copy(w, resp.Body)
}
