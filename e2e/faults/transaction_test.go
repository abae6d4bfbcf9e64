package faults

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// TestAnOpenTransactionElsewhereIsBounded leaves a transaction open in another
// database of the cluster, so that nobody can know whether all earlier changes have
// been seen. Lending goes on, and the table of changes stays bounded.
func TestAnOpenTransactionElsewhereIsBounded(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	l := open(t, cluster.Database(t, "library"), 2)
	cluster.Database(t, "elsewhere")
	release := holdTransaction(t, openSQL(t, cluster.AdminURL("elsewhere")), `SELECT pg_current_xact_id()`)
	defer release()
	c := l.gather(t)
	db := l.sql(t)
	// Many changes, in transactions of some hundred.
	const changes, atOnce = 30_000, 1500
	most := 0
	waited := regexp.MustCompile(`(?m)^library_changes_waiting_seconds ([1-9][0-9.]*)`)
	for n := 0; n < changes; n += atOnce {
		text := fmt.Sprintf(`INSERT INTO books (id, isbn, isbn_key, title, title_key, description, authors, search_words, author_words, version, created_at)
			SELECT gen_random_uuid(), '', '', 't', 't', '', '[]', 't', '', '1', 1 FROM generate_series(1, %d)`, atOnce)
		testkit.NoError(t, testkit.Err(db.Exec(text)))
		var kept int
		testkit.NoError(t, db.QueryRow(`SELECT count(*) FROM changes`).Scan(&kept))
		most = max(most, kept)
	}
	time.Sleep(pause)
	h := c.end()
	h.figures(t, "a transaction open elsewhere")
	t.Logf("%d changes; %d of them kept at most", changes, most)
	h.verify(t)
	testkit.Eventually(t, "the metric says that events wait", func() bool {
		_, text := l.servers[0].manage("/metrics")
		return waited.MatchString(text)
	})
	testkit.Eventually(t, "the log says for what", func() bool {
		return strings.Contains(l.servers[0].Log.String(), "events wait for a transaction that is still open")
	})
	if most > 25_000 {
		t.Errorf("the table of changes had %d records", most)
	}
}
