package faults

import (
	"context"
	"net/http"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// TestAForeignLockOnSQLiteIsUnavailableSoon holds the lock for writing, as another
// program may: a backup, or somebody with a shell. Writes are refused soon, however
// many there are, and reads are not affected.
func TestAForeignLockOnSQLiteIsUnavailableSoon(t *testing.T) {
	t.Parallel()
	l := open(t, emptySQLite(t), 1)
	l.invite(t, 24)
	conn, err := l.sql(t).Conn(t.Context())
	testkit.NoError(t, err)
	defer conn.Close()
	run := func(text string) {
		t.Helper()
		testkit.NoError(t, testkit.Err(conn.ExecContext(context.Background(), text)))
	}
	c := l.gather(t, withLookers)
	time.Sleep(pause)
	run(`BEGIN IMMEDIATE`)
	from := c.since()
	said := l.servers[0].awaitReadOnly(t, "locked")
	noticed := c.since() - from
	time.Sleep(standstill)
	status, still := l.servers[0].manage("/readyz")
	to := c.since()
	run(`ROLLBACK`)
	l.awaitAllReady(t)
	time.Sleep(2 * pause)
	h := c.end()
	during := h.within(from, to)
	writes := during.only(func(a answer) bool { return a.Act != "look" })
	looks := during.only(func(a answer) bool { return a.Act == "look" })
	writes.figures(t, "SQLite locked by others: writers")
	looks.figures(t, "SQLite locked by others: readers")
	t.Logf("read-only after %v: %.80q", noticed.Round(time.Millisecond), said)
	h.verify(t)
	h.wantBounded(t)
	writes.wantRefused(t)
	looks.wantUnnoticed(t)
	if status != http.StatusOK || still == "ready\n" {
		t.Errorf("/readyz is %d %q while the lock is held", status, still)
	}
}
