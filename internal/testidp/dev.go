package testidp

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"

	"example.org/library/devidp"
)

// DevKeys returns the keys of all development identity providers in the tests of a package. Keys are slow to make.
var DevKeys = sync.OnceValue(func() *devidp.Keys {
	keys, err := devidp.OpenKeys("")
	if err != nil {
		panic(err)
	}
	return keys
})

// Dev is the development identity provider on a port of its own.
type Dev struct {
	*httptest.Server
	Issuer    string
	Refreshes atomic.Int64           // requests to refresh a token
	Before    atomic.Pointer[func()] // called before each of them is answered; nil for nothing
}

// StartDev starts a development identity provider. The caller closes it.
func StartDev() *Dev {
	d := &Dev{Server: httptest.NewUnstartedServer(nil)}
	d.Issuer = "http://" + d.Listener.Addr().String() + realm
	provider, err := devidp.New(devidp.Options{
		Issuer: d.Issuer, Config: devidp.DefaultConfig(), Keys: DevKeys(), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	d.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "grant_type=refresh_token") {
			d.Refreshes.Add(1)
			if before := d.Before.Load(); before != nil {
				(*before)()
			}
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		provider.ServeHTTP(w, r)
	})
	d.Start()
	return d
}
