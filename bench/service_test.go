package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// newWorker makes what one of several callers does over and over, and what ends it.
type newWorker func(i int) (work func() error, done func())

// contender is a program that runs, and what it can be asked.
type contender struct {
	name     string
	addrs    []string // of its processes
	pids     []int
	postgres int           // the process of its PostgreSQL server; 0 on SQLite
	log      writeAheadLog // of its database
	started  time.Duration

	list, one        []byte
	borrow, giveBack func(i int) []byte // requests of a reader about a book of their own
}

// tokenService is a service with our paths and tokens.
func tokenService(t *testing.T, name string, pid int, addr string, idp *testidp.Provider) *contender {
	t.Helper()
	tokens := make([]string, conns)
	for i := range tokens {
		tokens[i] = idp.Token(t, readerEmail(i), "library_user email profile")
	}
	path := func(i int) string { return base + "/books/" + bookID(i) }
	return &contender{
		name: name, addrs: []string{addr}, pids: []int{pid}, log: unknownLog{},
		list: request("GET", base+"/books?limit=20", tokens[0]), one: request("GET", path(0), tokens[0]),
		borrow:   func(i int) []byte { return request("POST", path(i)+"/borrow", tokens[i]) },
		giveBack: func(i int) []byte { return request("POST", path(i)+"/return", tokens[i]) },
	}
}

// on says which database a service has.
func (s *contender) on(t *testing.T, database string) *contender {
	t.Helper()
	if file, isSQLite := strings.CutPrefix(database, "sqlite:"); isSQLite {
		s.log = openSQLiteLog(t, file)
		return s
	}
	s.postgres, s.log = postgresServer(t, database), postgresLog{database}
	return s
}

// at is the service as the first n of its processes.
func (s contender) at(n int) *contender {
	s.addrs = s.addrs[:n]
	return &s
}

// dial connects the i-th caller.
func (s *contender) dial(t *testing.T, i int) *client {
	t.Helper()
	c, err := dial(s.addrs[i%len(s.addrs)])
	testkit.NoError(t, err)
	return c
}

// asker sends one request over and over.
func (s *contender) asker(t *testing.T, req []byte) newWorker {
	return func(i int) (func() error, func()) {
		c := s.dial(t, i)
		return func() error { return want(200)(c.do(req)) }, func() { c.conn.Close() }
	}
}

// lender borrows and returns one book of its own, as a reader of its own: a pair.
func (s *contender) lender(t *testing.T) newWorker {
	return func(i int) (func() error, func()) {
		c, borrow, giveBack := s.dial(t, i), s.borrow(i), s.giveBack(i)
		return func() error {
			if err := want(200)(c.do(borrow)); err != nil {
				return err
			}
			return want(200)(c.do(giveBack))
		}, func() { c.conn.Close() }
	}
}

// figure is something that is measured of a service.
type figure int

const (
	perSecond    figure = iota // how often the work was done
	p50                        // milliseconds that it took
	p99                        // milliseconds that one in a hundred took, or longer
	ownTime                    // microseconds of the service's processor time for each
	postgresTime               // microseconds of PostgreSQL's processor time for each; 0 on SQLite
	allTime                    // microseconds of both
	logSize                    // kilobytes of write-ahead log for each; 0 for unknown
	kinds
)

// figures are one measurement.
type figures [kinds]float64

// measure gives a service work for a while.
func (s *contender) measure(t *testing.T, workers int, newWorker newWorker) figures {
	t.Helper()
	var mu sync.Mutex
	var times []float64
	server := childrenOf(t, s.postgres)
	own, postgres, logged := runTime(s.pids), runTime(server), s.log.written(t)
	n, rate := counted(t, workers, *period, func(i int) (func() error, func()) {
		work, done := newWorker(i)
		var took []float64
		return func() error {
				began := time.Now()
				err := work()
				took = append(took, time.Since(began).Seconds()*1e3)
				s.log.look()
				return err
			}, func() {
				done()
				mu.Lock()
				defer mu.Unlock()
				times = append(times, took...)
			}
	})
	if n == 0 {
		t.Fatalf("%s did nothing", s.name)
	}
	slices.Sort(times)
	each := func(before map[int]time.Duration, pids []int) float64 {
		return grown(before, runTime(pids)).Seconds() * 1e6 / float64(n)
	}
	f := figures{
		perSecond: rate, p50: times[len(times)/2], p99: times[len(times)*99/100],
		ownTime: each(own, s.pids), postgresTime: each(postgres, server),
		logSize: float64(s.log.written(t)-logged) / 1e3 / float64(n),
	}
	f[allTime] = f[ownTime] + f[postgresTime]
	return f
}

// inRounds measures services in turns, after a round for warming up. Each begins as often as
// the others.
func inRounds(t *testing.T, workers int, worker func(*contender) newWorker, services ...*contender) [][]figures {
	t.Helper()
	all := make([][]figures, len(services))
	for round := range *rounds + 1 {
		for i := range services {
			i = (i + round) % len(services)
			if f := services[i].measure(t, workers, worker(services[i])); round > 0 {
				all[i] = append(all[i], f)
			}
		}
	}
	return all
}

// compareServices says how the first service compares with each of the others. A target of 0 is none.
func compareServices(t *testing.T, what string, target float64, workers int, worker func(*contender) newWorker, services ...*contender) {
	t.Helper()
	before := loadAverage(t)
	all := inRounds(t, workers, worker, services...)
	t.Logf("%s (load average %s before, %s after)", what, before, loadAverage(t))
	for i, s := range services {
		f := mediansOf(all[i])
		line := fmt.Sprintf("   %-24s %6.0f/s, p50 %.2f ms, p99 %.2f ms, processor %.0f µs", s.name, f[perSecond], f[p50], f[p99], f[ownTime])
		if s.postgres != 0 {
			line += fmt.Sprintf(" and %.0f µs of PostgreSQL", f[postgresTime])
		}
		if f[logSize] > 0 {
			line += fmt.Sprintf(", log %.1f KB", f[logSize])
		}
		if i > 0 {
			line += fmt.Sprintf("; %s has %s of its rate", services[0].name, spread(ratiosOf(all[0], all[i], perSecond)))
		}
		if i > 0 && target > 0 {
			line += fmt.Sprintf(", target %.2f", target)
		}
		if i > 0 && s.postgres != 0 {
			line += fmt.Sprintf(", and %s of PostgreSQL's processor time", spread(ratiosOf(all[0], all[i], postgresTime)))
		}
		t.Log(line)
	}
}

// compareLending compares pairs of a loan and a return, by one caller and by many.
func compareLending(t *testing.T, what string, target float64, services ...*contender) {
	t.Helper()
	for _, callers := range []int{1, manyLenders} {
		compareServices(t, fmt.Sprintf("%s borrow+return, callers: %d", what, callers), target, callers,
			func(s *contender) newWorker { return s.lender(t) }, services...)
	}
}

func mediansOf(all []figures) (m figures) {
	for k := range kinds {
		var v []float64
		for _, f := range all {
			v = append(v, f[k])
		}
		m[k] = median(v)
	}
	return m
}

// ratiosOf are those of a to b, round by round, of a figure that is known.
func ratiosOf(a, b []figures, of figure) (ratios []float64) {
	for i := range a {
		if b[i][of] > 0 {
			ratios = append(ratios, a[i][of]/b[i][of])
		}
	}
	return ratios
}

// spread is the median, and the lowest and the highest.
func spread(v []float64) string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(v), slices.Min(v), slices.Max(v))
}

// loadAverage is how many processes wanted a processor in the last minute.
func loadAverage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/loadavg")
	testkit.NoError(t, err)
	first, _, _ := strings.Cut(string(text), " ")
	return first
}
