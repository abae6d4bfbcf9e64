package faults

import (
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

// TestAStartWithoutPostgreSQLWaitsAndHeals starts a process while there is no
// server, and the server some seconds later.
func TestAStartWithoutPostgreSQLWaitsAndHeals(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	l := open(t, cluster.Database(t, "library"), 1)
	cluster.Stop(t, pgtest.Fast)
	late := l.launch(t)
	hasty := l.launch(t, "--wait=0")
	if code := hasty.awaitExit(t); code != 1 {
		t.Errorf("with --wait=0 the exit code is %d", code)
	}
	time.Sleep(3 * time.Second)
	select {
	case <-late.Exited:
		t.Fatalf("it has not waited:\n%s", late.LogEnd())
	default:
	}
	cluster.Start(t)
	began := time.Now()
	l.servers = append(l.servers, l.await(t, late))
	l.awaitAllReady(t)
	t.Logf("ready %v after PostgreSQL is", time.Since(began).Round(time.Millisecond))
	c := l.gather(t)
	time.Sleep(2 * pause)
	h := c.end()
	h.figures(t, "after a start without PostgreSQL")
	h.verify(t)
	h.wantNoneFailed(t)
}
