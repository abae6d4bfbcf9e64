package faults

import (
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestAnOldCopyRestartsAfterAMigrationItCanLiveWith has a schema that is newer
// than the program.
func TestAnOldCopyRestartsAfterAMigrationItCanLiveWith(t *testing.T) {
	t.Parallel()
	l := open(t, pgtest.Own(t).Database(t, "library"), 1)
	db := l.sql(t)
	run := func(text string) {
		t.Helper()
		testkit.NoError(t, testkit.Err(db.Exec(text)))
	}
	run(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (9000, true)`)
	l.add(t, 1)
	c := l.gather(t)
	time.Sleep(2 * pause)
	h := c.end()
	h.figures(t, "on a newer schema")
	h.verify(t)
	h.wantNoneFailed(t)
	run(`UPDATE compatible_programs SET down_to = 9000`)
	if code := l.launch(t, "--wait=0").awaitExit(t); code != 1 {
		t.Errorf("on a schema that it cannot live with: exit code %d", code)
	}
}
