package faults

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testkit"
)

// How callers are measured.
const (
	callerTimeout = time.Second // after which a caller goes away
	measured      = 4 * time.Second

	// enoughLeft is the share of the best rate that is left under three times the
	// load: on a machine of its own 0.85. Here callers and others use it, too; a
	// server that lets everybody in keeps a tenth of it.
	enoughLeft = 0.4
)

// memory is the most that the process has ever had, in megabytes.
func (s *server) memory(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Cmd.Process.Pid))
	testkit.NoError(t, err)
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatalf("no VmHWM in %s", text)
	}
	kb, err := strconv.Atoi(string(found[1]))
	testkit.NoError(t, err)
	return kb / 1024
}

// searchers are callers who search for something that nobody has searched for, so
// that the server has far more work with it than they have.
type searchers struct {
	library                   *library
	client                    *http.Client
	answered, overloaded, bad atomic.Int64 // within callerTimeout
	late                      atomic.Int64
}

func (s *searchers) ask() {
	words := strings.Fields("all work and no play makes jack a dull boy")
	var terms []string
	for range 3 {
		w := words[rand.IntN(len(words))]
		terms = append(terms, w[:1+rand.IntN(len(w))])
	}
	ctx, cancel := context.WithTimeout(context.Background(), callerTimeout)
	defer cancel()
	path := fmt.Sprintf("/books?q=%s&limit=%d", strings.Join(terms, "+"), 5+rand.IntN(20))
	req, err := http.NewRequestWithContext(ctx, "GET", "http://"+s.library.servers[0].addr+basePath+path, nil)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.library.readers[0].token)
	resp, err := s.client.Do(req)
	if err != nil {
		s.late.Add(1)
		return
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	switch {
	case err != nil:
		s.late.Add(1)
	case resp.StatusCode == http.StatusOK:
		s.answered.Add(1)
	case resp.StatusCode == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		s.overloaded.Add(1)
	default:
		s.bad.Add(1)
	}
}

// inTurn is how many a second are answered when each of some callers waits for its
// answer before it asks again.
func (s *searchers) inTurn(callers int, long time.Duration) float64 {
	s.answered.Store(0)
	end := time.Now().Add(long)
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for time.Now().Before(end) {
				s.ask()
			}
		})
	}
	wg.Wait()
	return float64(s.answered.Load()) / long.Seconds()
}

// perSecond is how many requests a second are answered when rate of them come.
func (s *searchers) perSecond(rate float64) float64 {
	for _, n := range []*atomic.Int64{&s.answered, &s.overloaded, &s.late} {
		n.Store(0)
	}
	var wg sync.WaitGroup
	began := time.Now()
	for n := 0; time.Since(began) < measured; time.Sleep(2 * time.Millisecond) {
		for due := int(rate * time.Since(began).Seconds()); n < due; n++ {
			wg.Go(s.ask)
		}
	}
	wg.Wait()
	return float64(s.answered.Load()) / measured.Seconds()
}

// threeTimes finds out how much a library can do at most, and sends it three times
// as much, while readers lend.
func threeTimes(t *testing.T, database string) {
	t.Helper()
	l := open(t, database, 1)
	l.fill(t, "All work and no play makes Jack a dull boy. ")
	s := &searchers{library: l, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 512}}}
	defer s.client.CloseIdleConnections()
	// Readers lend all the time, so that hardly any answer is good for two callers.
	c := l.gather(t, resting(50*time.Millisecond))
	s.inTurn(8, time.Second)
	left := 0.0
	// What others do on this machine changes from one moment to the next, and makes
	// the share only smaller. So the best of three counts.
	for attempt := 0; attempt < 3 && left < enoughLeft; attempt++ {
		best := max(s.inTurn(8, measured), s.inTurn(24, measured))
		before, from := l.servers[0].memory(t), c.since()
		kept := s.perSecond(3 * best)
		left = max(left, kept/best)
		t.Logf("best %.0f a second; when three times as many come %.0f (%.2f), %d are refused with 503, %d are too late; memory %d MB, then %d MB",
			best, kept, kept/best, s.overloaded.Load(), s.late.Load(), before, l.servers[0].memory(t))
		c.sofar().within(from, c.since()).figures(t, "lending beside it")
	}
	h := c.end()
	h.verify(t)
	h.wantBounded(t)
	if left < enoughLeft {
		t.Errorf("%.2f of the best rate is left", left)
	}
	if mb := l.servers[0].memory(t); mb > 355 {
		t.Errorf("the process had %d MB", mb)
	}
	if n := s.bad.Load(); n > 0 {
		t.Errorf("%d answers were neither the list nor 503 with Retry-After", n)
	}
	after := l.gather(t)
	time.Sleep(2 * pause)
	gone := after.end()
	gone.figures(t, "when they have gone")
	gone.wantUnnoticed(t)
}

func TestThreeTimesTheLoadOnSQLite(t *testing.T) { threeTimes(t, emptySQLite(t)) }

func TestThreeTimesTheLoadOnPostgreSQL(t *testing.T) {
	threeTimes(t, pgtest.Own(t).Database(t, "library"))
}
