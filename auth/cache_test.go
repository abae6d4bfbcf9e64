package auth

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

func TestAVerifiedTokenIsRememberedUntilItExpires(t *testing.T) {
	t.Parallel()
	for name, skew := range map[string]time.Duration{"without skew": 0, "with skew": 30 * time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := testkit.NewClock(testNow)
			p := newProvider(jwks(ecSigner()))
			b := NewBearer(Config{Issuer: testIssuer, Audience: testAudience, Keys: p.keySet(c.Now), Now: c.Now, ClockSkew: skew})
			r := requestWith("Bearer " + ecSigner().token(nil))
			first, err := b.Authenticate(r)
			testkit.NoError(t, err)
			if want := testNow.Add(5*time.Minute + skew); !first.Expires.Equal(want) {
				t.Errorf("it says that it expires at %v, want %v", first.Expires, want)
			}
			c.Advance(5*time.Minute + skew - time.Nanosecond)
			if second, err := b.Authenticate(r); err != nil || second != first {
				t.Errorf("verified again: %v, %v", second, err)
			}
			c.Advance(time.Nanosecond)
			testkit.Equal(t, reasonOf(b.Authenticate(r)), "expired")
		})
	}
}

func TestVerifiedTokensAreForgottenWhenTheKeysChange(t *testing.T) {
	t.Parallel()
	p := newProvider(jwks(ecSigner()))
	b := newTestBearer(p)
	r := requestWith("Bearer " + ecSigner().token(nil))
	first, err := b.Authenticate(r)
	testkit.NoError(t, err)
	<-b.cfg.Keys.regular().done
	if again, err := b.Authenticate(r); err != nil || again != first {
		t.Errorf("forgotten although the keys are the same: %v", err)
	}
	p.change(func(p *provider) { p.keys = jwks(ecSigner(), edSigner()) })
	<-b.cfg.Keys.regular().done
	if again, err := b.Authenticate(r); err != nil || again == first {
		t.Errorf("remembered although the keys have changed: %v", err)
	}
	p.change(func(p *provider) { p.keys = jwks(edSigner()) })
	<-b.cfg.Keys.regular().done
	testkit.Equal(t, reasonOf(b.Authenticate(r)), "unknown_key")
}

// A token that is being verified while the keys are replaced must not leave its
// outcome in the cache for the new keys.
func TestAnOutcomeUnderOldKeysNeverCountsUnderNewOnes(t *testing.T) {
	t.Parallel()
	p := newProvider(jwks(ecSigner()))
	b := newTestBearer(p)
	<-b.cfg.Keys.regular().done
	old := b.cfg.Keys.current(testNow)
	p.change(func(p *provider) { p.keys = jwks(edSigner()) })
	<-b.cfg.Keys.regular().done
	late := &verified{digest: digest{1}, identity: &Identity{Email: "x"}, expires: testNow.Add(time.Hour)}
	b.remember(old, late, testNow)
	if id := b.recall(digest{1}, testNow); id != nil {
		t.Error("it counts")
	}
	mustTry(t, b, edSigner().token(nil), "")
	b.remember(old, late, testNow)
	if id := b.recall(digest{1}, testNow); id != nil {
		t.Error("it counts after the new keys were used")
	}
}

func TestADifferentTokenIsNeverTakenForARememberedOne(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())))
	good := ecSigner().token(nil)
	mustTry(t, b, good, "")
	end := "AA"
	if strings.HasSuffix(good, end) { // one signature in 256 ends with a zero byte
		end = "AQ"
	}
	for _, other := range []string{good + "A", good[:len(good)-2] + end, "A" + good, good + "."} {
		if try(b, other) == "" {
			t.Errorf("%s was accepted", other)
		}
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 8, 100, 10_000} {
		c := newCache(nil, size)
		for i := range 3 * size {
			var d digest
			copy(d[:], fmt.Sprintf("%032d", i*7919))
			c.put(&verified{digest: d, identity: &Identity{}, expires: testNow.Add(time.Hour)}, testNow)
			if c.get(d, testNow) == nil {
				t.Fatalf("size %d: the newest is not there", size)
			}
		}
		if n := len(c.buckets) * bucketSize; n > max(size, bucketSize) {
			t.Errorf("size %d: room for %d", size, n)
		}
	}
}

func TestExpiredTokensMakeRoomFirst(t *testing.T) {
	t.Parallel()
	c := newCache(nil, bucketSize)
	for i := range byte(bucketSize) {
		expires := testNow.Add(time.Hour)
		if i == 3 {
			expires = testNow
		}
		c.put(&verified{digest: digest{i}, identity: &Identity{}, expires: expires}, testNow.Add(-time.Hour))
	}
	c.put(&verified{digest: digest{100}, identity: &Identity{}, expires: testNow.Add(time.Hour)}, testNow)
	for i := range byte(bucketSize) {
		if got := c.get(digest{i}, testNow) != nil; got != (i != 3) {
			t.Errorf("token %d is there: %v", i, got)
		}
	}
}

func TestWithoutACacheEveryTokenIsVerified(t *testing.T) {
	t.Parallel()
	b := newTestBearer(newProvider(jwks(ecSigner())), func(c *Config) { c.CacheSize = -1 })
	r := requestWith("Bearer " + ecSigner().token(nil))
	first, err1 := b.Authenticate(r)
	second, err2 := b.Authenticate(r)
	if err1 != nil || err2 != nil || first == second {
		t.Errorf("%v, %v", err1, err2)
	}
}

func TestRequestsAndRotationsAtTheSameTime(t *testing.T) {
	t.Parallel()
	p := newProvider(jwks(ecSigner()))
	b := newTestBearer(p, func(c *Config) { c.CacheSize = 16 })
	tokens := make([]string, 20)
	for i := range tokens {
		tokens[i] = ecSigner().token(map[string]any{"jti": i})
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				testkit.Equal(t, try(b, tokens[i%len(tokens)]), "")
			}
		})
	}
	wg.Go(func() {
		for i := range 20 {
			p.change(func(p *provider) { p.keys = jwks(ecSigner(), edSigner().named(fmt.Sprint(i))) })
			<-b.cfg.Keys.regular().done
		}
	})
	wg.Wait()
}
