package e2e

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// wantUnavailable checks the answer of a server that cannot check tokens now.
func wantUnavailable(r response) {
	r.t.Helper()
	r.want(503).wantHeader("WWW-Authenticate", "")
	if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 60 {
		r.t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
	}
}

func TestKeyRotationHealsWithOneFetch(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	old := s.as(t, reader)
	old.get("/books").want(200)
	s.idp.Rotate(t)
	fresh := s.as(t, reader)
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if r, err := fresh.try("GET", "/books", nil); err != nil || r.status != 200 {
				t.Errorf("with a new key: %v, status %d", err, r.status)
			}
		})
	}
	wg.Wait()
	if n := s.idp.Fetches(); n != 2 {
		t.Errorf("%d fetches of the key set, want 2: one at the start, one for the new key", n)
	}
	old.get("/books").want(401) // the cache does not outlive the key
	if n := s.idp.Fetches(); n != 2 {
		t.Errorf("%d fetches after a token with a retired key, want 2", n)
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
	s.awaitLog(t, regexp.MustCompile(`key set not fetched`))
	if status, body := s.manage(t, "/readyz"); status != 503 || !strings.Contains(body, "keys: ") || !strings.Contains(body, k.keysURL()) {
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
	eventually(t, "the new key is known", func() bool { return fresh.get("/books").status == 200 })
}

func TestTwoHundredColdRequestsShareOneFetch(t *testing.T) {
	t.Parallel()
	k := newKeyServer(t)
	k.idp.Delay(time.Second)
	s := k.start(t)
	c := s.as(t, reader)
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if r, err := c.try("GET", "/books", nil); err != nil || r.status != 200 {
				t.Errorf("cold: %v, status %d", err, r.status)
			}
		})
	}
	wg.Wait()
	if n := k.fetches.Load(); n != 1 {
		t.Errorf("%d fetches, want 1", n)
	}
}

func TestFloodOfUnknownKeysCausesOneFetchPerTenSeconds(t *testing.T) {
	t.Parallel()
	k := newKeyServer(t)
	s := k.start(t)
	good := s.as(t, reader)
	good.get("/books").want(200)
	atStart := k.fetches.Load()

	began := time.Now()
	inParallel(4, scaled(10_000), func(i int) {
		// Signed with a known key, in the name of an unknown one.
		token := k.idp.Mint(t, nil, testidp.ES256(), testidp.Header("kid", fmt.Sprint("unknown-", i)))
		if r, err := s.with(t, token).try("GET", "/books", nil); err != nil || r.status != 401 {
			t.Errorf("token %d: %v, status %d", i, err, r.status)
		}
		if i%1000 == 0 {
			quickly(t, "a good request amid the flood", func() {
				if r, err := good.try("GET", "/books", nil); err != nil || r.status != 200 {
					t.Errorf("good token: %v, status %d", err, r.status)
				}
			})
		}
	})
	took := time.Since(began)
	t.Logf("%d tokens with unknown keys in %v: %d fetches", scaled(10_000), took, k.fetches.Load()-atStart)
	if n, most := k.fetches.Load()-atStart, int64(took/(10*time.Second))+1; n < 1 || n > most {
		t.Errorf("%d fetches in %v, want 1 to %d", n, took, most)
	}
}

func TestFloodOfBadTokensCausesNoFetch(t *testing.T) {
	t.Parallel()
	k := newKeyServer(t)
	s := k.start(t)
	s.as(t, reader).get("/books").want(200)
	unknown := testidp.Header("kid", "unknown")
	inParallel(4, scaled(1000), func(i int) {
		for what, token := range map[string]string{
			"signature":        k.idp.Mint(t, nil, testidp.ES256(), testidp.ForgedSignature()),
			"key and expiry":   k.idp.Mint(t, testidp.Claims{"exp": 1}, testidp.ES256(), unknown),
			"key and issuer":   k.idp.Mint(t, testidp.Claims{"iss": "x"}, testidp.ES256(), unknown),
			"key and audience": k.idp.Mint(t, testidp.Claims{"aud": "x"}, testidp.ES256(), unknown),
		} {
			if r, err := s.with(t, token).try("GET", "/books", nil); err != nil || r.status != 401 {
				t.Errorf("bad %s: %v, status %d", what, err, r.status)
			}
		}
	})
	if n := k.fetches.Load(); n != 1 {
		t.Errorf("%d fetches, want the one at the start alone", n)
	}
}

func TestUnreadableKeysDoNotSpoilTheGoodOnes(t *testing.T) {
	t.Parallel()
	bad := []any{
		map[string]any{"kty": "RSA", "kid": "broken", "n": "!!!", "e": "AQAB"},
		map[string]any{"kty": "EC", "kid": "off-the-curve", "crv": "P-256", "x": "AAAA", "y": "AAAA"},
		map[string]any{"kty": "oct", "kid": "symmetric", "k": "c2VjcmV0"},
		map[string]any{"kty": "quantum", "kid": "from the future"},
		42, nil, "text", []int{},
	}
	k := newKeyServer(t, func(k *keyServer) { k.beside = bad })
	s := k.start(t)
	s.as(t, reader).get("/books").want(200)
	s.with(t, s.idp.Mint(t, nil)).get("/books").want(200) // RSA
	if !strings.Contains(s.log.String(), "broken") {
		t.Error("the log does not name the key that cannot be read")
	}
}

func TestDiscoveryDocumentOfAnotherIssuerIsRefusedAndNamed(t *testing.T) {
	t.Parallel()
	k := newKeyServer(t, func(k *keyServer) { k.issuer = "https://other.example/realms/main" })
	s := start(t, nil, "--issuer", k.server.URL, "--database", emptySQLite(t), "--sample-data")
	s.idp = k.idp
	s.awaitLog(t, regexp.MustCompile(`https://other\.example/realms/main.*`+regexp.QuoteMeta(k.server.URL)))
	status, body := s.manage(t, "/readyz")
	if status != 503 || !strings.Contains(body, k.issuer) {
		t.Errorf("/readyz: %d %q; want 503 and the reason", status, body)
	}
	wantUnavailable(s.with(t, s.idp.Mint(t, testidp.Claims{"iss": k.server.URL})).get("/books"))
	if n := k.fetches.Load(); n != 0 {
		t.Errorf("the key set was asked for %d times", n)
	}
}

func TestKeySetRedirectToAnotherHostIsNotFollowed(t *testing.T) {
	t.Parallel()
	k := newKeyServer(t, func(k *keyServer) { k.redirect = true })
	s := k.start(t)
	s.awaitLog(t, regexp.MustCompile(`redirected to another host`))
	wantUnavailable(s.as(t, reader).get("/books"))
	if n := k.idp.Fetches(); n != 0 {
		t.Errorf("the other host was asked %d times", n)
	}
}
