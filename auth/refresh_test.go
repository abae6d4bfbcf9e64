package auth

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.org/library/internal/testkit"
)

func TestTheFirstRetriesAreQuick(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("")
		p.down = true
		b := newRunning(t, p)
		for _, step := range []struct {
			after time.Duration
			least uint64
		}{{0, 1}, {500 * time.Millisecond, 2}, {time.Second, 3}, {2 * time.Second, 4}, {4 * time.Second, 5}} {
			time.Sleep(step.after)
			synctest.Wait()
			if n := b.cfg.Keys.Stats().Fetches; n < step.least {
				t.Errorf("%v later: %d fetches, want %d at least", step.after, n, step.least)
			}
		}
	})
}

func TestKeysAreRefreshedEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		b := newRunning(t, p)
		time.Sleep(time.Hour)
		if n := p.asked(); n < 13 || n > 14 {
			t.Errorf("asked %d times in an hour", n)
		}
		if age := b.cfg.Keys.Stats().Age; age > 5*time.Minute {
			t.Errorf("the set is %v old", age)
		}
		// A key that was taken back is no longer good after the next refresh.
		token := fresh(ecSigner())
		mustTry(t, b, token, "")
		p.change(func(p *provider) { p.keys = jwks(edSigner()) })
		time.Sleep(5 * time.Minute)
		mustTry(t, b, token, "unknown_key")
	})
}

func TestAFailedRefreshIsTriedAgainSoon(t *testing.T) {
	t.Parallel()
	withKeys(t, func(t *testing.T, p *provider, b *Bearer) {
		p.change(func(p *provider) { p.down = true })
		time.Sleep(5 * time.Minute)
		p.change(func(p *provider) { p.down, p.keys = false, jwks(edSigner()) })
		time.Sleep(30 * time.Second)
		if !b.cfg.Keys.current(time.Now()).knows(header{kid: "ed-1", hasKid: true}) {
			t.Error("the new set is not there after 30 s")
		}
	})
}

func TestAFetchDoesNotEndWithTheCallerWhoStartedIt(t *testing.T) {
	t.Parallel()
	withKeys(t, func(t *testing.T, p *provider, b *Bearer) {
		p.change(func(p *provider) { p.delay, p.keys = time.Second, jwks(ecSigner(), edSigner()) })
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		began := time.Now()
		r := requestWith("Bearer " + fresh(edSigner())).WithContext(ctx)
		testkit.Equal(t, reasonOf(b.Authenticate(r)), "keys_unavailable", "the caller who left")
		testkit.Equal(t, time.Since(began), 100*time.Millisecond, "the wait of the caller who left")
		mustTry(t, b, fresh(edSigner()), "")
		testkit.Equal(t, p.asked(), 2, "times asked")
	})
}

// A regular fetch may have read the set just before the new key was published.
// A request that joined it may still start the fetch that unknown kids are allowed.
func TestJoiningARegularFetchDoesNotUseUpTheAllowance(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		keys := p.keySet(nil)
		b := NewBearer(Config{Issuer: testIssuer, Audience: testAudience, Keys: keys})
		mustTry(t, b, fresh(ecSigner()), "")
		slow := &signal{provider: p, inside: make(chan struct{}), release: make(chan struct{})}
		keys.fetch.client.Transport = slow
		keys.regular()
		<-slow.inside // the old set is on its way
		p.change(func(p *provider) { p.keys = jwks(edSigner()) })
		go close(slow.release)
		tryAtOnce(t, b, 50, func(int) string { return fresh(edSigner()) }, "")
		testkit.Equal(t, keys.Stats().Fetches, 3, "fetches")
	})
}

// signal holds back the first answer for a key set until it is released.
type signal struct {
	provider        *provider
	once            sync.Once
	inside, release chan struct{}
}

func (s *signal) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := s.provider.RoundTrip(req)
	if req.URL.String() == testJWKSURL {
		s.once.Do(func() { close(s.inside); <-s.release })
	}
	return resp, err
}

func TestARequestMayBeQuickerThanRun(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		p := newProvider(jwks(ecSigner()))
		p.delay = time.Second
		keys := p.keySet(nil)
		b := NewBearer(Config{Issuer: testIssuer, Audience: testAudience, Keys: keys})
		tryAtOnce(t, b, 10, func(int) string { return fresh(ecSigner()) }, "")
		testkit.Equal(t, p.asked(), 1, "times asked")
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newProvider("")
		p.delay = time.Hour
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		p.keySet(nil).Run(ctx)
		testkit.Equal(t, time.Since(began), time.Second, "time to the end")
		time.Sleep(fetchTimeout)
	})
}
