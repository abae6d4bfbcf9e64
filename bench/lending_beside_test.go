package bench

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// lendingRate is how many loans and returns there are a second while others read.
const lendingRate = 50

// TestReadingWhileBooksAreBorrowed compares the rate of a request with the rate of
// the same request while books all over the library are being borrowed and
// returned, in one run.
func TestReadingWhileBooksAreBorrowed(t *testing.T) {
	size, word := 2_000, subjects[0]
	if *large {
		size = 100_000
	}
	if *recordsFile != "" {
		size, word = 1_000_000, recordWords[0]
	}
	for name := range databases {
		t.Run(name, func(t *testing.T) {
			database := libraryOf(t, name, size)
			_, addr, idp := startLibrary(t, database)
			token, lender := idp.Token(t, reader, "library_user"), idp.Token(t, "bruce.banner@example.com", "library_user")
			for _, path := range []string{
				"/books?limit=20",
				"/books?limit=20&q=" + word,
				"/books?limit=20&sort=relevance&q=" + word,
				"/books/facets?q=" + word,
				"/suggestions?q=" + word,
				"/books?limit=20&q=" + rare(size/2),
				"/books/" + bookID(size/3),
			} {
				req := request("GET", base+path, token)
				var slowest [2][]float64
				measure := func(with int) func() float64 {
					return func() float64 {
						defer lendBeside(t, addr, lender, size, with*lendingRate)()
						n, p99 := rateAndP99(t, addr, req)
						slowest[with] = append(slowest[with], p99.Seconds()*1e3)
						return n
					}
				}
				compare(t, fmt.Sprintf("%s GET %s while %d books a second are borrowed or returned", name, path, lendingRate), measure(1),
					reference{"the rate without", 0.5, measure(0)})
				with, without := median(slowest[1]), median(slowest[0])
				t.Logf("   p99 %.2f ms, without %.2f ms: %.2f times (target 2)", with, without, with/without)
			}
		})
	}
}

// lendBeside borrows and returns books all over the library at a fixed rate, until it
// is stopped.
func lendBeside(t *testing.T, addr, token string, size, perSecond int) (end func()) {
	t.Helper()
	if perSecond == 0 {
		return func() {}
	}
	c, err := dial(addr)
	testkit.NoError(t, err)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer c.conn.Close()
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		for i := 0; ; i++ {
			path := base + "/books/" + bookID(i/2*7919%size)
			do := []string{"/borrow", "/return"}[i%2]
			if err := want(200)(c.do(request("POST", path+do, token))); err != nil {
				t.Error(err)
				return
			}
			if i%2 == 1 {
				select {
				case <-stop:
					return
				default:
				}
			}
			<-tick.C
		}
	})
	return func() { close(stop); wg.Wait() }
}

// rateAndP99 is httpRate, with the time that one request in a hundred exceeds.
func rateAndP99(t *testing.T, addr string, req []byte) (float64, time.Duration) {
	t.Helper()
	times := make([][]time.Duration, conns)
	n := rate(t, conns, *period, func(i int) (func() error, func()) {
		c, err := dial(addr)
		testkit.NoError(t, err)
		return func() error {
			began := time.Now()
			err := want(200)(c.do(req))
			times[i] = append(times[i], time.Since(began))
			return err
		}, func() { c.conn.Close() }
	})
	all := slices.Sorted(slices.Values(slices.Concat(times...)))
	return n, all[len(all)*99/100]
}
