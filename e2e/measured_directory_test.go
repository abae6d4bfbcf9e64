//go:build !race

package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// TestMeasuredADirectoryBesideLending is not parallel: it measures. Eight callers bring people, each looked for before it
// is added, while readers lend and return. Promised are 10,000 people in five minutes, and 0.8 of the rate of lending: the
// machine does other things, too, so less is a failure only far below.
func TestMeasuredADirectoryBesideLending(t *testing.T) {
	const people, directory, promised, kept = 800, 8, 40 * time.Second, 0.5
	for _, kind := range []string{"sqlite", "postgres"} {
		t.Run(kind, func(t *testing.T) {
			database := emptyDatabase(t, kind)
			s := startWith(t, testidp.New(t), "--database", database, "--sample-data", "--scim")
			s.awaitReady(t)
			addCopies(t, s, database, 1000, map[string]any{})
			as, n := s.as(t, reader), atomic.Int64{}
			c := newCallers(s, patience, func() []byte {
				i := n.Add(1)
				return as.request("POST", fmt.Sprintf("/books/00000000-0000-4000-8000-%012d", 1+i/2%1000)+[]string{"/return", "/borrow"}[i%2])
			})
			c.closed(16, 3*time.Second)
			alone := c.closed(16, 10*time.Second)
			from, next, callers := s.as(t, admin), atomic.Int64{}, sync.WaitGroup{}
			began := time.Now()
			for range directory {
				callers.Go(func() {
					for i := next.Add(1); i <= people; i = next.Add(1) {
						name := fmt.Sprintf("person%d@example.org", i)
						from.get("/scim/v2/Users?filter=" + url.QueryEscape(`userName eq "`+name+`"`)).want(http.StatusOK)
						from.post("/scim/v2/Users", map[string]any{"userName": name, "name": map[string]any{"givenName": "P", "familyName": fmt.Sprint(i)}}).want(http.StatusCreated)
					}
				})
			}
			beside := c.closed(16, 10*time.Second)
			after := next.Load()
			callers.Wait()
			took := time.Since(began)
			alone = (alone + c.closed(16, 10*time.Second)) / 2 // before and after: the machine does other things, too
			t.Logf("%d people in %v, %d of them in the first 10 s; lending beside it at %.2f of its rate (%.0f/s)", people, took.Round(time.Second), after, beside/alone, alone)
			if took > promised || beside < kept*alone {
				t.Errorf("%d people took %v and lending kept %.2f of its rate; allowed are %v and %.2f", people, took, beside/alone, promised, kept)
			}
		})
	}
}
