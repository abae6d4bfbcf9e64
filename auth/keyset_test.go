package auth

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/library/internal/testkit"
)

// newRunning returns a Bearer whose key set runs for the rest of the test, in
// the time of the bubble.
func newRunning(t *testing.T, p *provider) *Bearer {
	t.Helper()
	keys := p.keySet(nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); keys.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done; time.Sleep(fetchTimeout) }) // a fetch under way ends by itself
	return NewBearer(Config{Issuer: testIssuer, Audience: testAudience, Keys: keys})
}

// fresh returns a token that is good for an hour from now.
func fresh(s signingKey) string {
	return s.token(map[string]any{"exp": time.Now().Add(time.Hour).Unix(), "iat": nil, "jti": time.Now().UnixNano()})
}

// warmUp makes the shared keys outside of bubbles, where they must not be made.
func warmUp() {
	rsaSigner()
	rsaSigner2()
	ecSigner()
	edSigner()
}

// inBubble runs a test with a clock of its own, which stands still while something happens.
func inBubble(t *testing.T, test func(*testing.T)) {
	t.Helper()
	warmUp()
	synctest.Test(t, test)
}

// withKeys runs a test in the time of a bubble, a second after the keys were fetched.
func withKeys(t *testing.T, test func(t *testing.T, p *provider, b *Bearer)) {
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		b := newRunning(t, p)
		time.Sleep(time.Second)
		test(t, p, b)
	})
}

func TestTheKeyServerIsDownAtTheStartAndTheServiceHealsAlone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		p.down = true
		b := newRunning(t, p)
		for range 60 { // requests do not make it ask more often
			time.Sleep(time.Second)
			mustTry(t, b, fresh(ecSigner()), "keys_unavailable")
		}
		if err := b.cfg.Keys.Ready(); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("ready says %v", err)
		}
		if n := b.cfg.Keys.Stats().Fetches; n < 12 || n > 22 {
			t.Errorf("%d fetches in a minute", n)
		}
		p.change(func(p *provider) { p.down = false })
		time.Sleep(longestPause)
		mustTry(t, b, fresh(ecSigner()), "")
		if err := b.cfg.Keys.Ready(); err != nil {
			t.Errorf("ready says %v", err)
		}
	})
}

func TestARotationHealsWithOneFetch(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		p.delay = 50 * time.Millisecond
		b := newRunning(t, p)
		time.Sleep(time.Minute)
		p.change(func(p *provider) { p.keys, p.requests = jwks(ecSigner(), edSigner()), nil })
		tryAtOnce(t, b, 100, func(int) string { return fresh(edSigner()) }, "")
		if len(p.requests) != 1 {
			t.Errorf("requests: %v", p.requests)
		}
		mustTry(t, b, fresh(ecSigner()), "")
	})
}

// tryAtOnce sends n requests at the same time and wants the same for each.
func tryAtOnce(t *testing.T, b *Bearer, n int, token func(int) string, want string) {
	t.Helper()
	var wg sync.WaitGroup
	for i := range n {
		raw := token(i)
		wg.Go(func() { mustTry(t, b, raw, want) })
	}
	wg.Wait()
}

func TestColdRequestsShareOneFetch(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		p.delay = time.Second
		b := newRunning(t, p)
		tryAtOnce(t, b, 200, func(int) string { return fresh(ecSigner()) }, "")
		testkit.Equal(t, p.asked(), 1, "times asked")
	})
}

func TestAColdRequestDoesNotWaitForEver(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		p.delay = time.Hour
		b := newRunning(t, p)
		began := time.Now()
		mustTry(t, b, fresh(ecSigner()), "keys_unavailable")
		if waited := time.Since(began); waited > 5*time.Second {
			t.Errorf("waited %v", waited)
		}
		// One that cannot be good in any case does not wait at all.
		began = time.Now()
		mustTry(t, b, ecSigner().token(map[string]any{"exp": 1}), "expired")
		testkit.Equal(t, time.Since(began), 0, "the wait")
	})
}

func TestUnknownKidsStartOneFetchInTenSeconds(t *testing.T) {
	t.Parallel()
	withKeys(t, func(t *testing.T, p *provider, b *Bearer) {
		_, rest, _ := strings.Cut(fresh(ecSigner()), ".")
		unknown := func(i int) string { return encode(ecSigner().named(fmt.Sprint("x", i)).header(nil)) + "." + rest }
		tryAtOnce(t, b, 10_000, unknown, "unknown_key")
		testkit.Equal(t, p.asked(), 2, "times asked")
		time.Sleep(9 * time.Second)
		mustTry(t, b, unknown(0), "unknown_key")
		testkit.Equal(t, p.asked(), 2, "times asked before 10 s were over")
		time.Sleep(time.Second)
		mustTry(t, b, unknown(0), "unknown_key")
		testkit.Equal(t, p.asked(), 3, "times asked after 10 s")
		// For ten minutes, ten a second: one each 10 s, and the regular ones.
		for range 6000 {
			time.Sleep(100 * time.Millisecond)
			mustTry(t, b, unknown(0), "unknown_key")
		}
		if n := p.asked(); n > 3+60+4 {
			t.Errorf("asked %d times in ten minutes", n)
		}
		mustTry(t, b, fresh(ecSigner()), "")
	})
}

func TestOnlyATokenWithNothingWrongExceptItsKeyStartsAFetch(t *testing.T) {
	t.Parallel()
	withKeys(t, func(t *testing.T, p *provider, b *Bearer) {
		unknown := ecSigner().named("x")
		for want, change := range map[string]map[string]any{
			"expired": {"exp": 1}, "wrong_issuer": {"iss": "x"}, "wrong_audience": {"aud": "x"},
			"wrong_token_type": {"typ": "ID"}, "bound_token": {"cnf": 1}, "unknown_user": {"email": ""},
		} {
			change["iat"] = nil
			mustTry(t, b, unknown.token(change), want)
		}
		mustTry(t, b, unknown.sign(unknown.header(map[string]any{"alg": "none"}), claimSet(nil)), "unsupported_algorithm")
		// Nor does a bad signature under a known key, however often.
		good := fresh(ecSigner())
		signature := strings.LastIndexByte(good, '.') + 1
		for i := range 200 {
			mustTry(t, b, good[:signature]+fmt.Sprintf("%08d", i)+good[signature+8:], "bad_signature")
		}
		testkit.Equal(t, p.asked(), 1, "times asked")
	})
}

func TestAnUnknownKeyThatCannotBeLookedUpIsNotTheCallersFault(t *testing.T) {
	t.Parallel()
	withKeys(t, func(t *testing.T, p *provider, b *Bearer) {
		p.change(func(p *provider) { p.down = true })
		_, err := b.Authenticate(requestWith("Bearer " + fresh(edSigner())))
		if e := err.(*Error); e.Status != http.StatusServiceUnavailable || e.RetryAfter != 10*time.Second {
			t.Errorf("got %+v", e)
		}
		// Within the 10 s nobody asks again, and the answer stays the same.
		time.Sleep(4 * time.Second)
		_, err = b.Authenticate(requestWith("Bearer " + fresh(edSigner())))
		if e := err.(*Error); e.Status != http.StatusServiceUnavailable || e.RetryAfter != 6*time.Second {
			t.Errorf("got %+v", e)
		}
		if n := b.cfg.Keys.Stats(); n.Fetches != 2 || n.Failures != 1 {
			t.Errorf("%+v", n)
		}
		mustTry(t, b, fresh(ecSigner()), "")
		// After them the next fetch finds the way again by discovery.
		time.Sleep(6 * time.Second)
		p.change(func(p *provider) { p.down, p.keys = false, jwks(edSigner()) })
		mustTry(t, b, fresh(edSigner()), "")
	})
}

func TestTheLastGoodSetCountsForADay(t *testing.T) {
	t.Parallel()
	warmUp()
	for name, breakIt := range map[string]func(*provider){
		"down":            func(p *provider) { p.down = true },
		"nothing usable":  func(p *provider) { p.keys = `{"keys":[{"kty":"oct","k":"AAAA"}]}` },
		"not JSON":        func(p *provider) { p.keys = "<html>" },
		"an error status": func(p *provider) { p.status = http.StatusInternalServerError },
		"another issuer":  func(p *provider) { p.discovery = strings.Replace(p.discovery, "workshop", "other", 1) },
		"too slow":        func(p *provider) { p.delay = time.Minute },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := newProvider(jwks(ecSigner()))
				b := newRunning(t, p)
				time.Sleep(time.Second)
				p.change(breakIt)
				time.Sleep(24*time.Hour - 3*time.Second)
				mustTry(t, b, fresh(ecSigner()), "")
				if err := b.cfg.Keys.Ready(); err != nil {
					t.Errorf("ready says %v", err)
				}
				remembered := fresh(ecSigner())
				mustTry(t, b, remembered, "")
				time.Sleep(10 * time.Second)
				mustTry(t, b, fresh(ecSigner()), "keys_unavailable")
				mustTry(t, b, remembered, "keys_unavailable")
				if err := b.cfg.Keys.Ready(); err == nil || !strings.Contains(err.Error(), "older than 24 hours") {
					t.Errorf("ready says %v", err)
				}
				p.change(func(p *provider) {
					p.keys, p.discovery = jwks(ecSigner()), newProvider("").discovery
					p.down, p.status, p.delay = false, 0, 0
				})
				time.Sleep(30*time.Second + fetchTimeout)
				mustTry(t, b, fresh(ecSigner()), "")
			})
		})
	}
}

func TestStatsBeforeAndAfterTheFirstSet(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwksOf(ecSigner().jwk(nil), rsaSigner().jwk(nil), `{"kty":"oct"}`))
		keys := p.keySet(nil)
		if got, want := keys.Stats(), (Stats{Age: -1}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if err := keys.Ready(); err == nil || err.Error() != "no key set was obtained yet" {
			t.Errorf("ready says %v", err)
		}
		<-keys.regular().done
		time.Sleep(time.Minute)
		if got, want := keys.Stats(), (Stats{Age: time.Minute, Fetches: 1, Keys: 2}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	})
}
