package faults

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// hangUp lets callers search and give up after some milliseconds, over and over,
// until ctx ends, and returns how many requests that were.
func (l *library) hangUp(ctx context.Context, callers int) (n int64) {
	var asked atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				impatient, cancel := context.WithTimeout(ctx, time.Millisecond+rand.N(20*time.Millisecond))
				req, _ := http.NewRequestWithContext(impatient, "GET", "http://"+l.servers[0].addr+basePath+"/books?q=book&sort=-created", nil)
				req.Header.Set("Authorization", "Bearer "+l.readers[0].token)
				if resp, err := client.Do(req); err == nil {
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				cancel()
				asked.Add(1)
			}
		})
	}
	wg.Wait()
	return asked.Load()
}

// TestCallersWhoHangUpCostNoConnections has thirty callers who give up what they
// asked for after a few milliseconds. PostgreSQL has hardly any new sessions for
// it, and neighbours notice nothing.
func TestCallersWhoHangUpCostNoConnections(t *testing.T) {
	cluster := pgtest.Own(t)
	l := open(t, cluster.Database(t, "library"), 1)
	db := openSQL(t, cluster.AdminURL("postgres"))
	sessions := func() (n int) {
		t.Helper()
		time.Sleep(1500 * time.Millisecond) // counters are reported once a second
		testkit.NoError(t, db.QueryRow(`SELECT sessions FROM pg_stat_database WHERE datname = 'library'`).Scan(&n))
		return n
	}
	before := sessions()
	c := l.gather(t)
	ctx, cancel := context.WithTimeout(t.Context(), standstill)
	defer cancel()
	asked := l.hangUp(ctx, 30)
	h := c.end()
	made := sessions() - before
	h.figures(t, "neighbours of callers who hang up")
	t.Logf("%d requests were given up; %d new sessions at PostgreSQL", asked, made)
	h.verify(t)
	h.wantUnnoticed(t)
	if made > 100 {
		t.Errorf("%d new sessions for %d requests that were given up; there should be some dozens", made, asked)
	}
}
