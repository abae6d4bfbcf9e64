package faults

import (
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

// fewLost wants that those who met a fault before their commit were served after
// all: of all answers, hardly any is a 503.
func (h history) fewLost(t testing.TB, atMost int) {
	t.Helper()
	n := h.tally()
	if lost := n["unavailable"] + n["overloaded"]; lost > atMost {
		t.Errorf("%d callers got 503, though nothing had been sent for them; at most %d may", lost, atMost)
	}
	if n["cut off"]+n["no connection"] > 0 {
		t.Errorf("the program has not answered everybody: %v", n)
	}
}

// behindRelay opens a library whose database is behind a relay.
func behindRelay(t testing.TB, c *pgtest.Cluster, processes int, extra ...string) (*library, *relay) {
	t.Helper()
	direct := c.Database(t, "library")
	r := newRelay(t, c.Addr())
	l := open(t, r.through(t, direct), processes, extra...)
	l.direct = direct
	return l, r
}

// TestCutConnectionsAreNotNoticed resets every connection to the database, often.
// Transactions that had not sent COMMIT are repeated on another one.
func TestCutConnectionsAreNotNoticed(t *testing.T) {
	l, r := behindRelay(t, pgtest.Own(t), 2)
	c := l.gather(t)
	const cuts = 20
	for range cuts {
		time.Sleep(200 * time.Millisecond)
		r.snip()
	}
	time.Sleep(pause)
	h := c.end()
	h.figures(t, "20 times all connections cut")
	h.verify(t)
	h.fewLost(t, cuts/4)
}

// TestARestartOfPostgreSQLIsHardlyNoticed stops the server, as an administrator
// does and as a crash does, and starts it again at once.
func TestARestartOfPostgreSQLIsHardlyNoticed(t *testing.T) {
	cluster := pgtest.Own(t)
	l := open(t, cluster.Database(t, "library"), 3)
	c := l.gather(t)
	stops := []pgtest.Shutdown{pgtest.Fast, pgtest.Immediate, pgtest.Fast, pgtest.Immediate}
	var down time.Duration
	for _, how := range stops {
		time.Sleep(pause)
		began := time.Now()
		cluster.Stop(t, how)
		cluster.Start(t)
		down += time.Since(began)
	}
	time.Sleep(2 * pause)
	h := c.end()
	h.figures(t, "PostgreSQL restarted 4 times")
	t.Logf("the server was away for %v in all", down.Round(time.Millisecond))
	h.verify(t)
	// A restart takes a fraction of the time that a transaction is repeated for,
	// unless the machine is very busy: each reader may be unlucky once.
	h.fewLost(t, len(stops)*manyReaders/2)
}

// TestAFailoverLosesNothing kills the server, promotes its standby and leads the
// connections there.
func TestAFailoverLosesNothing(t *testing.T) {
	cluster := pgtest.Own(t)
	l, r := behindRelay(t, cluster, 3)
	standby := cluster.Standby(t)
	c := l.gather(t)
	time.Sleep(pause)
	began := time.Now()
	r.cut()
	cluster.Stop(t, pgtest.Immediate)
	standby.Promote(t)
	r.lead(standby.Addr())
	down := time.Since(began)
	time.Sleep(4 * pause)
	h := c.end()
	l.direct = standby.DatabaseURL("library")
	h.figures(t, "failover to the standby")
	t.Logf("there was no server for %v", down.Round(time.Millisecond))
	h.verify(t)
	h.fewLost(t, 2*manyReaders)
}
