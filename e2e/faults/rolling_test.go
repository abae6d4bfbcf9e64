package faults

import (
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
