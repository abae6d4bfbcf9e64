//go:build keycloak

package keycloak

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

const callers = 40

// TestKeysAreRotatedUnderTraffic: a new key takes over, the earlier one is
// retired, and no request notices.
func TestKeysAreRotatedUnderTraffic(t *testing.T) {
	s := start(t)
	realm := idOf(t, "/components?type=org.keycloak.keys.KeyProvider", "providerId", "rsa-generated")
	earlier := into[object](administer(t, "GET", "/components/"+realm, nil).WantStatus(200))
	// Callers with a token of before, who keep it, and callers who get a new one
	// every now and then.
	before := accessOf(t, "bwayne")
	traffic := newTraffic(t, s)
	for i := range callers {
		if i%2 == 0 {
			traffic.add(func(int) (string, error) { return before, nil })
		} else {
			traffic.add(traffic.fresh())
		}
	}
	traffic.await("requests before the rotation", func() bool { return traffic.good(0) > 10*callers })

	added := createdID(administer(t, "POST", "/components", keyProvider("rotated", 1000)))
	t.Cleanup(func() {
		administer(t, "DELETE", "/components/"+added, nil).WantStatus(204)
		administer(t, "PUT", "/components/"+realm, earlier).WantStatus(204)
	})
	traffic.await("requests with the new key", func() bool { return traffic.good(1) > 10*callers })

	retired := into[object](administer(t, "GET", "/components/"+realm, nil).WantStatus(200))
	retired["config"].(object)["active"] = []string{"false"}
	administer(t, "PUT", "/components/"+realm, retired).WantStatus(204)
	mark := traffic.good(0)
	traffic.await("requests with the retired key", func() bool { return traffic.good(0) > mark+10*callers })
	traffic.stop()
	t.Logf("%d requests with the earlier key, %d with the new one", traffic.good(0), traffic.good(1))
}

// keyProvider makes a signing key that Keycloak prefers to those of a lower
// priority.
func keyProvider(name string, priority int) object {
	return object{"name": name, "providerId": "rsa-generated", "providerType": "org.keycloak.keys.KeyProvider", "config": object{
		"priority": []string{fmt.Sprint(priority)}, "enabled": []string{"true"}, "active": []string{"true"},
		"keySize": []string{"2048"}, "algorithm": []string{"RS256"},
	}}
}

// traffic is many callers at once. Requests are counted by the key of their
// token: in the order in which the keys were first seen.
type traffic struct {
	t     testing.TB
	s     *server
	quit  chan struct{}
	wg    sync.WaitGroup
	slots chan struct{} // to ask for tokens, so as not to measure Keycloak

	mu   sync.Mutex
	kids []string

	counts [3]atomic.Int64 // by key; the last is for all others
	failed atomic.Int64
}

func newTraffic(t testing.TB, s *server) *traffic {
	tr := &traffic{t: t, s: s, quit: make(chan struct{}), slots: make(chan struct{}, 4)}
	t.Cleanup(tr.stop)
	return tr
}

// add adds a caller who asks for a token before each request.
func (tr *traffic) add(token func(request int) (string, error)) {
	tr.wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-tr.quit:
				return
			case <-time.After(10 * time.Millisecond):
			}
			tok, err := token(i)
			if err != nil {
				tr.fail("no token: %v", err)
				continue
			}
			switch r, err := tr.s.try(tok, "GET", "/books?limit=1", nil); {
			case err != nil:
				tr.fail("%v", err)
			case r.Status != 200:
				tr.fail("status %d, %s", r.Status, r.Header.Get("WWW-Authenticate"))
			default:
				tr.counts[tr.key(tok)].Add(1)
			}
		}
	})
}

// fail reports a failure; the first few are enough to see what is wrong.
func (tr *traffic) fail(format string, args ...any) {
	if tr.failed.Add(1) <= 5 {
		tr.t.Errorf("a request failed: "+format, args...)
	}
}

// fresh returns a source of tokens of the program that asks Keycloak for
// another one every ten requests.
func (tr *traffic) fresh() func(int) (string, error) {
	var token string
	return func(request int) (string, error) {
		if request%10 != 0 && token != "" {
			return token, nil
		}
		tr.slots <- struct{}{}
		defer func() { <-tr.slots }()
		r, err := postForm(atKeycloak, endpoint("token"), clientCredentials())
		if err != nil {
			return "", err
		}
		if r.Status != 200 {
			return "", fmt.Errorf("Keycloak answers %d", r.Status)
		}
		r.T = tr.t
		token = into[tokens](r).Access
		return token, nil
	}
}

func (tr *traffic) key(token string) int {
	kid := headerOf(tr.t, token).Kid
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for i, known := range tr.kids {
		if known == kid {
			return i
		}
	}
	if len(tr.kids) < len(tr.counts)-1 {
		tr.kids = append(tr.kids, kid)
	}
	return len(tr.kids) - 1
}

// good is how many requests with that key went well.
func (tr *traffic) good(key int) int64 { return tr.counts[key].Load() }

func (tr *traffic) await(what string, holds func() bool) {
	tr.t.Helper()
	testkit.Eventually(tr.t, what, func() bool { return holds() || tr.failed.Load() > 0 })
}

func (tr *traffic) stop() {
	select {
	case <-tr.quit:
	default:
		close(tr.quit)
	}
	tr.wg.Wait()
	if n := tr.failed.Load(); n > 0 {
		tr.t.Errorf("%d requests failed", n)
	}
}
