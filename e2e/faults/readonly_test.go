package faults

import (
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

// TestAReadOnlyPostgreSQLIsReadyForReading makes the server refuse every change, as a
// standby does. The processes are behind a proxy that asks whether they are ready: who reads
// notices nothing, and who writes is refused by the library and not by the proxy.
func TestAReadOnlyPostgreSQLIsReadyForReading(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	l := open(t, cluster.Database(t, "library"), 2)
	readOnly := func(value string) {
		cluster.Exec(t, `ALTER SYSTEM SET default_transaction_read_only = `+value)
		cluster.Exec(t, `SELECT pg_reload_conf()`)
	}
	c := l.gather(t, withLookers, atAddress(startHAProxy(t, l)))
	time.Sleep(pause)
	readOnly("on")
	from := c.since()
	l.servers[0].awaitReadOnly(t, "read-only")
	time.Sleep(standstill) // a write is tried again for some seconds: another server may take over
	to := c.since()
	readOnly("off")
	l.awaitAllReady(t)
	time.Sleep(pause)
	h := c.end()
	during := h.within(from, to)
	writes := during.only(func(a answer) bool { return a.Act != "look" })
	writes.figures(t, "PostgreSQL read-only: writers")
	during.only(func(a answer) bool { return a.Act == "look" }).figures(t, "PostgreSQL read-only: readers")
	h.verify(t)
	h.wantBounded(t)
	writes.wantRefused(t)
	during.only(func(a answer) bool { return a.Act == "look" }).wantUnnoticed(t)
}
