package faults

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

// drain is how long processes go on after SIGTERM here: a few of the
// proxy's looks at /readyz, and less than the usual 5 s, so that there is time for
// more restarts.
const drain = "1500ms"

// roll stops one process after the other with SIGTERM and starts it again on the
// same addresses. It returns how long a stop took at most.
func roll(t *testing.T, l *library, n int) (longest time.Duration) {
	t.Helper()
	for i := range n {
		s := l.servers[i%len(l.servers)]
		began := time.Now()
		s.signal(t, syscall.SIGTERM)
		if code := s.awaitExit(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
		longest = max(longest, time.Since(began))
		next := l.start(t, "--addr", s.addr, "--management-addr", s.management)
		next.awaitReady(t)
		l.servers[i%len(l.servers)] = next
		time.Sleep(300 * time.Millisecond) // the proxy must see it, too
	}
	return longest
}

// wantNoneFailed wants that every caller was answered by the program, and with
// what it asked for.
func (h history) wantNoneFailed(t testing.TB) {
	t.Helper()
	for _, a := range h.answers {
		if a.isFailed() || a.isUnavailable() {
			t.Errorf("%s after %v: %d %s %v", a.Act, a.called.Round(time.Millisecond), a.status, a.code, a.failure)
		}
	}
}

// TestRollingRestartsBehindHAProxyFailNobody restarts three processes in turn while
// readers lend through the proxy.
func TestRollingRestartsBehindHAProxyFailNobody(t *testing.T) {
	l := open(t, pgtest.Own(t).Database(t, "library"), 3, "--drain", drain)
	proxy := startHAProxy(t, l)
	c := l.gather(t, atAddress(proxy))
	n := rounds(t, 10)
	longest := roll(t, l, n)
	h := c.end()
	h.figures(t, "rolling restarts behind HAProxy")
	t.Logf("%d restarts; a stop took %v at most", n, longest.Round(time.Millisecond))
	h.verify(t)
	h.wantNoneFailed(t)
}

// TestRollingRestartsFailNobodyWhoLooksAtReadiness has no proxy: callers choose
// among the processes that were ready a moment ago.
func TestRollingRestartsFailNobodyWhoLooksAtReadiness(t *testing.T) {
	l := open(t, pgtest.Own(t).Database(t, "library"), 3, "--drain", drain)
	stop := make(chan struct{})
	var watchers sync.WaitGroup
	ready := make([]atomic.Bool, len(l.servers))
	at := slices.Clone(l.servers) // addresses stay the same
	for i, s := range at {
		ready[i].Store(true)
		watchers.Go(func() { // one for each, so that a slow answer of one process does not delay the others
			for {
				select {
				case <-stop:
					return
				case <-time.After(100 * time.Millisecond):
					status, _ := s.manage("/readyz")
					ready[i].Store(status == http.StatusOK)
				}
			}
		})
	}
	defer watchers.Wait()
	defer close(stop)
	c := l.gather(t, func(c *crowd) {
		c.at = func(int) string {
			for {
				if i := rand.IntN(len(at)); ready[i].Load() {
					return at[i].addr
				}
				time.Sleep(time.Millisecond)
			}
		}
	})
	n := rounds(t, 6)
	roll(t, l, n)
	h := c.end()
	h.figures(t, "rolling restarts, directly")
	h.verify(t)
	h.wantNoneFailed(t)
}

// TestReadinessEndsBeforeTheListenerDoes looks at both after SIGTERM.
func TestReadinessEndsBeforeTheListenerDoes(t *testing.T) {
	const long = 6 * time.Second // far more than is waited below
	l := open(t, emptySQLite(t), 1, "--drain", long.String())
	s := l.servers[0]
	c := l.gather(t)
	time.Sleep(pause)
	began := time.Now()
	s.signal(t, syscall.SIGTERM)
	said := s.awaitReadiness(t, http.StatusServiceUnavailable)
	unready := time.Since(began)
	time.Sleep(pause)
	from := c.since()
	time.Sleep(pause)
	still := c.since()
	code := s.awaitExit(t)
	ended := time.Since(began)
	h := c.end()
	served := h.within(from, still)
	t.Logf("not ready after %v (%.40q), %d served meanwhile, ended after %v", unready.Round(time.Millisecond), said, len(served.answers), ended.Round(time.Millisecond))
	served.wantNoneFailed(t)
	if len(served.answers) == 0 || code != 0 || ended < long {
		t.Errorf("%d answers while it drains, exit code %d after %v", len(served.answers), code, ended)
	}
	l.servers[0] = l.start(t)
	h.verify(t)
}
