package faults

import (
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestAStandbyThatIsPromotedWhileTheOldServerLives promotes the synchronous standby and
// leaves the old server to the readers for a while: nothing is confirmed there any more.
// Then they are led to the new one. A change that was not answered with success may be
// there or not; but nobody may have seen a change that is not there.
func TestAStandbyThatIsPromotedWhileTheOldServerLives(t *testing.T) {
	cluster := pgtest.Own(t)
	l, r := behindRelay(t, cluster, 2)
	standby := cluster.Standby(t)
	c := l.gather(t, withLookers)
	time.Sleep(pause)
	standby.Promote(t)
	for _, s := range l.servers {
		s.awaitReadOnly(t, "standby")
	}
	time.Sleep(2 * bound)
	var waiting int
	testkit.NoError(t, l.sql(t).QueryRow(`SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`).Scan(&waiting))
	during := c.since()
	r.cut()
	r.lead(standby.Addr())
	for _, s := range l.servers {
		s.awaitReady(t)
	}
	healed := c.since()
	time.Sleep(4 * pause)
	h := c.end()
	l.direct = standby.DatabaseURL("library")
	h.figures(t, "standby promoted, the old server alive")
	t.Logf("%d server processes waited for the standby; ready %v after the way led to the new server", waiting, (healed - during).Round(time.Millisecond))
	h.verify(t)
	if n := h.tally(); n["outcome_unknown"] == 0 || n["unavailable"] == 0 {
		t.Errorf("%v: the first should get outcome_unknown, and those after them unavailable", n)
	}
	if looks := h.within(0, during).only(func(a answer) bool { return a.Act == "look" }); looks.slowest() > bound {
		t.Errorf("somebody who only looked waited for %v", looks.slowest())
	}
	if most := len(l.servers) * manyReaders; waiting == 0 || waiting > most {
		t.Errorf("%d server processes wait for the standby; at most %d may", waiting, most)
	}
}
