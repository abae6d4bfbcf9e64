package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// wantUnavailable checks the answer of a server that cannot check tokens now.
func wantUnavailable(r response) {
	r.T.Helper()
	r.want(503).wantHeader("WWW-Authenticate", "")
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 60 {
		r.T.Errorf("Retry-After is %q", r.Header.Get("Retry-After"))
	}
}

func TestServerHealsAloneWhenTheKeyServerComesUp(t *testing.T) {
	t.Parallel()
	k := newKeyServer(t)
	k.down.Store(true)
	s := k.start(t)

	// Without keys it is alive, not ready, and says why.
	if status, _ := s.manage(t, "/healthz"); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	s.AwaitLog(t, regexp.MustCompile(`key set not fetched`))
	if status, body := s.manage(t, "/readyz"); status != 503 || !strings.Contains(body, "keys: ") || !strings.Contains(body, k.server.URL) {
		t.Errorf("/readyz: %d %q; want 503 and the reason", status, body)
	}
	wantUnavailable(s.as(t, reader).get("/books"))
	s.with(t, nobody).get("/books").want(401)                                    // needs no key
	s.with(t, s.idp.Mint(t, testidp.Claims{"aud": "x"})).get("/books").want(401) // nor does this

	k.down.Store(false)
	s.awaitReady(t)
	s.as(t, reader).get("/books").want(200)

	// From now on it lives without the key server.
	k.down.Store(true)
	known := s.as(t, reader)
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		known.get("/books").want(200)
		s.as(t, curator).get("/books").want(200) // verified anew
	}
	k.idp.Rotate(t)
	fresh := s.as(t, reader)
	wantUnavailable(fresh.get("/books")) // it may be good: 401 would be a lie
	known.get("/books").want(200)
	if status, body := s.manage(t, "/readyz"); status != 200 {
		t.Errorf("/readyz: %d %s", status, body)
	}
	for _, line := range s.metricLines(t, "library_keyset_fetch_failures_total ") {
		if strings.HasSuffix(line, " 0") {
			t.Errorf("failures are not counted: %s", line)
		}
	}
	k.down.Store(false)
	testkit.Eventually(t, "the new key is known", func() bool { return fresh.get("/books").Status == 200 })
}
