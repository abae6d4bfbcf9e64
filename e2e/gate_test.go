package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// gate stands in front of a provider. When it is closed, requests to renew a
// token wait.
type gate struct {
	*httptest.Server
	mu      sync.Mutex
	proxy   http.Handler
	closed  chan struct{} // nil if it is open
	waiting chan struct{} // somebody waits
	drift   time.Duration // by how much the clock is ahead
}

func newGate(t testing.TB) *gate {
	g := &gate{waiting: make(chan struct{}, 100)}
	g.Server = httptest.NewServer(g)
	t.Cleanup(g.Close)
	return g
}

func (g *gate) issuer() string { return g.URL + "/auth/realms/workshop" }

// target says what is behind the gate.
func (g *gate) target(t testing.TB, p *provider) {
	t.Helper()
	g.front("http://" + p.AwaitLog(t, regexp.MustCompile(`msg=listening addr=(\S+) issuer`)))
}

func (g *gate) front(address string) {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.proxy = httputil.NewSingleHostReverseProxy(u)
}

// setAhead makes the clock of what is behind look as if it were ahead.
func (g *gate) setAhead(drift time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.drift = drift
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = make(chan struct{})
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.closed)
	g.closed = nil
}

func (g *gate) awaitSomebody(t testing.TB) {
	t.Helper()
	select {
	case <-g.waiting:
	case <-time.After(testkit.Timeout(t)):
		t.Fatal("nobody comes")
	}
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	proxy, closed, drift := g.proxy, g.closed, g.drift
	g.mu.Unlock()
	if proxy == nil {
		http.Error(w, "not yet", http.StatusServiceUnavailable)
		return
	}
	if r.Method == http.MethodPost {
		body, _ := io.ReadAll(r.Body)
		if closed != nil && strings.Contains(string(body), "grant_type=refresh_token") {
			g.waiting <- struct{}{}
			<-closed
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
	}
	if drift != 0 {
		recorded := httptest.NewRecorder()
		proxy.ServeHTTP(recorded, r)
		for name, values := range recorded.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Date", time.Now().Add(drift).UTC().Format(http.TimeFormat))
		w.WriteHeader(recorded.Code)
		w.Write(recorded.Body.Bytes())
		return
	}
	proxy.ServeHTTP(w, r)
}
