package faults

import (
	"context"
	"database/sql"
	"net/http"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/linearizability"
)

// holdTransaction begins a transaction that is not the program's, and runs
// statements in it.
func holdTransaction(t testing.TB, db *sql.DB, statements ...string) (release func()) {
	t.Helper()
	tx, err := db.BeginTx(context.Background(), nil)
	testkit.NoError(t, err)
	for _, text := range statements {
		if _, err := tx.Exec(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return func() { tx.Rollback() }
}

func TestALockedBookConcernsItsCallersOnly(t *testing.T) {
	l := open(t, pgtest.Own(t).Database(t, "library"), 2)
	locked, others := l.books[0], l.books[1:]
	// Two readers ask for the book that is locked, the others for other books.
	c := l.gather(t, onBooks(func(i int) []string {
		if i < 2 {
			return l.books[:1]
		}
		return others
	}))
	time.Sleep(pause)
	release := holdTransaction(t, l.sql(t), `SELECT FROM books WHERE id = '`+locked+`' FOR UPDATE`)
	from := c.since()
	time.Sleep(standstill)
	to := c.since()
	release()
	time.Sleep(2 * pause)
	h := c.end()
	during := h.within(from, to)
	during.about(locked).figures(t, "one book locked for 8 s: its callers")
	during.about(others...).figures(t, "one book locked for 8 s: others")
	h.verify(t)
	h.wantBounded(t)
	during.about(locked).wantRefused(t)
	during.about(others...).wantUnnoticed(t)
}

// askMe asks the first process who the first reader is.
func (l *library) askMe(t testing.TB, process int) answer {
	t.Helper()
	began := time.Now()
	req, err := http.NewRequest("GET", "http://"+l.servers[process].addr+basePath+"/me", nil)
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+l.readers[0].token)
	resp, err := plain.Do(req)
	testkit.NoError(t, err)
	resp.Body.Close()
	return answer{Step: linearizability.Step{Act: "me"}, status: resp.StatusCode, took: time.Since(began), sent: true, retryAfter: resp.Header.Get("Retry-After")}
}

// standsStill lets a database that does not answer at all come back after a while.
func standsStill(t *testing.T, l *library, what string, freeze, thaw func()) {
	t.Helper()
	c := l.gather(t)
	time.Sleep(pause)
	freeze()
	from := c.since()
	time.Sleep(standstill / 2)
	me := l.askMe(t, 0)
	said := l.servers[0].awaitReadiness(t, http.StatusServiceUnavailable)
	time.Sleep(standstill / 2)
	to := c.since()
	thaw()
	l.awaitAllReady(t)
	healed := c.since() - to
	time.Sleep(2 * pause)
	h := c.end()
	during := h.within(from, to)
	during.figures(t, what)
	t.Logf("GET /me meanwhile: %d after %v; /readyz: %.60q; ready again after %v", me.status, me.took.Round(time.Millisecond), said, healed.Round(time.Millisecond))
	h.verify(t)
	h.wantSoon(t) // but a commit that was on its way may have happened
	during.wantRefused(t)
	if me.status != http.StatusServiceUnavailable || me.took > bound+slack || me.retryAfter == "" {
		t.Errorf("/me: %d after %v, Retry-After %q", me.status, me.took, me.retryAfter)
	}
	if last := h.only(func(a answer) bool { return a.called > c.since()-pause && a.isUnavailable() }); len(last.answers) > 0 {
		t.Errorf("it has not healed: %v", last.tally())
	}
}

func TestAFrozenPostgreSQLIsUnavailableSoon(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t)
	l := open(t, cluster.Database(t, "library"), 2)
	standsStill(t, l, "PostgreSQL frozen for 8 s", func() { cluster.Freeze(t) }, func() { cluster.Thaw(t) })
}

func TestASplitNetworkIsUnavailableSoon(t *testing.T) {
	t.Parallel()
	l, r := behindRelay(t, pgtest.Own(t), 2)
	standsStill(t, l, "network split for 8 s", r.freeze, r.thaw)
}
