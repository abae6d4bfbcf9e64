package faults

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestPgBouncerInTransactionModeIsEnough starts, migrates, lends and restarts
// through a pooler that gives each transaction another session.
func TestPgBouncerInTransactionModeIsEnough(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	direct := cluster.Database(t, "library")
	l := open(t, pgtest.Pooled(t, direct), 2)
	l.direct = direct
	c := l.gather(t)
	time.Sleep(pause)
	for range 2 {
		migrate := program(t, "migrate", "--database", l.database)
		if out, err := migrate.CombinedOutput(); err != nil {
			t.Fatalf("library migrate: %v\n%s", err, out)
		}
	}
	const restarts = 4
	began := time.Now()
	for range restarts {
		s := l.start(t)
		s.awaitReady(t)
		s.signal(t, syscall.SIGINT)
		if code := s.awaitExit(t); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
	took := time.Since(began) / restarts
	// The sessions that everybody shares are cut.
	cluster.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'library'`)
	time.Sleep(2 * pause)
	h := c.end()
	h.figures(t, "PgBouncer, transaction mode")
	t.Logf("a start and stop took %v on average", took.Round(time.Millisecond))
	h.verify(t)
	if p50 := h.quantile(0.5); p50 > brief/2 {
		t.Errorf("half of the answers took more than %v: are statements compiled?", p50)
	}
	for _, s := range l.servers {
		s.signal(t, syscall.SIGINT)
		s.awaitExit(t)
		for _, complaint := range []string{"prepared statement", "unsupported startup parameter"} {
			if strings.Contains(s.Log.String(), complaint) {
				t.Errorf("the log says: %s", complaint)
			}
		}
	}
	var locks int
	testkit.NoError(t, openSQL(t, cluster.AdminURL("library")).QueryRow(`SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`).Scan(&locks))
	if locks != 0 {
		t.Errorf("%d locks are left when all processes have ended", locks)
	}
}
