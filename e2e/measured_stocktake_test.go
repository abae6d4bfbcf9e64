//go:build !race

package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// TestMeasuredLendingBesideAStocktake is not parallel: it measures. A person scans eight copies a second, faster than anybody
// can, while readers lend and return. Promised is 0.8 of the rate of lending; less is a failure only far below.
func TestMeasuredLendingBesideAStocktake(t *testing.T) {
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			database := emptyDatabase(t, kind)
			s := startWith(t, testidp.New(t), "--database", database, "--sample-data")
			s.awaitReady(t)
			addCopies(t, s, database, 1000, map[string]any{})
			as, from, n := s.as(t, reader), s.as(t, curator), atomic.Int64{}
			c := newCallers(s, patience, func() []byte {
				i := n.Add(1)
				return as.request("POST", fmt.Sprintf("/books/00000000-0000-4000-8000-%012d", 1+i/2%1000)+[]string{"/return", "/borrow"}[i%2])
			})
			copies := into[[]struct{ Identifier string }](from.get("/copies?limit=1000").want(http.StatusOK))
			taken := into[struct{ Identifier string }](from.post("/stocktakes", map[string]any{"name": "All"}).want(http.StatusCreated))
			c.closed(16, 2*time.Second)
			alone := c.closed(16, 5*time.Second)
			stop, person := make(chan struct{}), sync.WaitGroup{}
			person.Go(func() {
				for i := range copies {
					select {
					case <-stop:
						return
					case <-time.After(125 * time.Millisecond):
						from.post("/stocktakes/"+taken.Identifier+"/scans", map[string]any{"codes": []string{}, "copies": []string{copies[i].Identifier}}).want(http.StatusOK)
					}
				}
			})
			beside := c.closed(16, 5*time.Second)
			close(stop)
			person.Wait()
			alone = (alone + c.closed(16, 5*time.Second)) / 2 // before and after: the machine does other things, too
			t.Logf("lending beside a stocktake at %.2f of its rate (%.0f/s)", beside/alone, alone)
			if beside < 0.5*alone {
				t.Errorf("lending kept %.2f of its rate", beside/alone)
			}
		})
	}
}
