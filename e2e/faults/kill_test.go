package faults

import (
	"path/filepath"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
)

func emptySQLite(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "library.db")
}

// TestAKilledProcessOnSQLiteLosesNothing kills the only process, at once and
// without a word, as often as there is time for, and starts another.
func TestAKilledProcessOnSQLiteLosesNothing(t *testing.T) {
	t.Parallel()
	l := open(t, emptySQLite(t), 1)
	port := l.servers[0].addr
	c := l.gather(t, atAddress(port))
	n := rounds(t, 8)
	for range n {
		time.Sleep(pause)
		l.servers[0].Kill()
		l.servers[0] = l.start(t, "--addr", port)
	}
	time.Sleep(pause)
	h := c.end()
	h.figures(t, "SQLite, process killed")
	h.verify(t)
}

// TestAKilledProcessOnPostgreSQLLosesNothing kills one process after the other.
func TestAKilledProcessOnPostgreSQLLosesNothing(t *testing.T) {
	t.Parallel()
	l := open(t, pgtest.Own(t).Database(t, "library"), 3)
	at := []string{l.servers[0].addr, l.servers[1].addr, l.servers[2].addr}
	c := l.gather(t, func(c *crowd) { c.at = func(i int) string { return at[i%len(at)] } })
	n := rounds(t, 6)
	for i := range n {
		time.Sleep(pause)
		s := i % len(at)
		l.servers[s].Kill()
		l.servers[s] = l.start(t, "--addr", at[s])
	}
	time.Sleep(pause)
	h := c.end()
	h.figures(t, "PostgreSQL, one of three killed")
	h.verify(t)
}
