package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

var (
	before = flag.String("before", "", "another build of the program, to compare with; without it the program is compared with itself")
	after  = flag.String("after", "", "the build to look at; without it that of this code")
)

// versionBooks is how many books the libraries of both versions have.
const versionBooks = 1000

// TestVersions runs two builds of the program, each on a database of its own, and
// gives both the same load alternately: for a change that must not cost speed, or for a
// mechanism with and without it. Processor time for a request is the figure to look at on
// a machine that has other work; rates then vary.
func TestVersions(t *testing.T) {
	for name, newDatabase := range databases {
		t.Run(name, func(t *testing.T) {
			idp := testidp.New(t)
			old := startVersion(t, *before, newDatabase(t), idp, name == "postgres")
			now := startVersion(t, *after, newDatabase(t), idp, name == "postgres")
			for _, l := range versionLoads {
				if l.processes <= len(now.addrs) {
					t.Run(l.name, func(t *testing.T) { compareVersions(t, l, old, now) })
				}
			}
		})
	}
}

// version is a build of the program that runs.
type version struct {
	idp      *testidp.Provider
	addrs    []string
	pids     []int
	postgres int // the server's process; 0 on SQLite
}

// startVersion runs three processes on PostgreSQL and one on SQLite, and fills the library
// over HTTP, which all versions understand.
func startVersion(t *testing.T, build, database string, idp *testidp.Provider, isPostgres bool) *version {
	t.Helper()
	v := &version{idp: idp}
	processes := 1
	if isPostgres {
		processes, v.postgres = 3, postgresServer(t, database)
	}
	for range processes {
		cmd := program(database, idp)
		if build != "" {
			cmd = exec.Command(build, cmd.Args[1:]...)
		}
		v.addrs = append(v.addrs, start(t, cmd))
		v.pids = append(v.pids, cmd.Process.Pid)
	}
	type record = map[string]any
	var books []record
	for i := range versionBooks {
		b := generated(i)
		books = append(books, record{"identifier": b.ID, "title": b.Title, "isbn": b.ISBN, "description": b.Description, "authors": b.Authors})
	}
	v.post(t, "/imports/books", "peter.parker@example.com", "library_curator", books)
	for i := range manyLenders {
		v.post(t, "/users", "clark.kent@example.com", "library_admin", record{"identifier": readerID(i), "email": readerEmail(i),
			"firstName": "Reader", "lastName": fmt.Sprint(i), "roles": []string{"LIBRARY_USER"}, "password": "a password of before"})
	}
	return v
}

func (v *version) post(t *testing.T, path, email, scope string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	testkit.NoError(t, err)
	req, err := http.NewRequest("POST", "http://"+v.addrs[0]+base+path, bytes.NewReader(text))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+v.idp.Token(t, email, scope))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode/100 != 2 {
		t.Fatalf("POST %s: %s %s", path, resp.Status, answer)
	}
}

// versionLoad is what both versions are asked to do.
type versionLoad struct {
	name      string
	workers   int
	processes int
	lending   int // loans and returns a second beside it
	newWorker func(t *testing.T, v *version) func(i int) (func() error, func())
}

var versionLoads = []versionLoad{
	{name: "GET /books?limit=20", workers: conns, processes: 1, newWorker: versionReader(func(int64) string { return "/books?limit=20" })},
	{name: "GET /books/{id}", workers: conns, processes: 1, newWorker: versionReader(func(int64) string { return "/books/" + bookID(7) })},
	{name: "search, each time another", workers: conns, processes: 1, newWorker: versionReader(func(i int64) string {
		return fmt.Sprintf("/books?q=%s&limit=%d", rare(int(i%versionBooks)), 1+i/versionBooks%1000)
	})},
	{name: "GET /books?limit=20 beside 50 loans or returns a second", workers: conns, processes: 1, lending: lendingRate,
		newWorker: versionReader(func(int64) string { return "/books?limit=20" })},
	{name: "borrow and return, 1 reader", workers: 1, processes: 1, newWorker: versionLender},
	{name: "borrow and return, 16 readers", workers: manyLenders, processes: 1, newWorker: versionLender},
	{name: "mixed load, 16 readers", workers: manyLenders, processes: 1, newWorker: func(t *testing.T, v *version) func(int) (func() error, func()) {
		return mixedReader(t, v.addrs[0], v.idp)
	}},
	{name: "borrow and return, 16 readers at three processes", workers: manyLenders, processes: 3,
		newWorker: func(t *testing.T, v *version) func(int) (func() error, func()) {
			return func(i int) (func() error, func()) { return readersLender(t, v.addrs[i%3], v.idp)(i) }
		}},
}

func versionLender(t *testing.T, v *version) func(int) (func() error, func()) {
	return readersLender(t, v.addrs[0], v.idp)
}

// versionReader gets one address after the other, numbered over all rounds.
func versionReader(path func(i int64) string) func(*testing.T, *version) func(int) (func() error, func()) {
	var last atomic.Int64
	return func(t *testing.T, v *version) func(int) (func() error, func()) {
		token := v.idp.Token(t, reader, "library_user email profile")
		return func(int) (func() error, func()) {
			c, err := dial(v.addrs[0])
			testkit.NoError(t, err)
			return func() error { return want(200)(c.do(request("GET", base+path(last.Add(1)), token))) }, func() { c.conn.Close() }
		}
	}
}

// versionFigures are one measurement: how often a second the work was done, and
// microseconds of processor time for each time.
type versionFigures struct{ rate, own, postgres float64 }

func (v *version) measure(t *testing.T, l versionLoad) versionFigures {
	t.Helper()
	newWorker := l.newWorker(t, v)
	defer lendBeside(t, v.addrs[0], v.idp.Token(t, "bruce.banner@example.com", "library_user"), 20, l.lending)()
	server := childrenOf(t, v.postgres)
	own, postgres := runTime(v.pids), runTime(server)
	n, rate := counted(t, l.workers, *period, newWorker)
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(max(n, 1)) }
	return versionFigures{rate, each(grown(own, runTime(v.pids))), each(grown(postgres, runTime(server)))}
}

// childrenOf are the processes that a process has started; none for 0.
func childrenOf(t *testing.T, parent int) (pids []int) {
	t.Helper()
	if parent == 0 {
		return nil
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", parent, parent))
	testkit.NoError(t, err)
	for field := range strings.FieldsSeq(string(text)) {
		pid, _ := strconv.Atoi(field)
		pids = append(pids, pid)
	}
	return pids
}

// runTime is how long the threads of each process have run, to the nanosecond, so that
// short measurements can alternate.
func runTime(pids []int) map[int]time.Duration {
	times := make(map[int]time.Duration)
	for _, pid := range pids {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, file := range threads {
			text, _ := os.ReadFile(file)
			first, _, _ := strings.Cut(string(text), " ")
			n, _ := strconv.ParseInt(first, 10, 64)
			times[pid] += time.Duration(n)
		}
	}
	return times
}

// grown is by how much run times have grown. A process that has ended does not count.
func grown(before, after map[int]time.Duration) (sum time.Duration) {
	for pid, d := range after {
		sum += d - before[pid]
	}
	return sum
}

// compareVersions measures both alternately, after a round for warming up; each begins in
// every second round.
func compareVersions(t *testing.T, l versionLoad, old, now *version) {
	t.Helper()
	var olds, nows []versionFigures
	for round := range *rounds + 1 {
		both := []*version{old, now}
		figures := make(map[*version]versionFigures)
		if round%2 == 1 {
			slices.Reverse(both)
		}
		for _, v := range both {
			figures[v] = v.measure(t, l)
		}
		if round > 0 {
			olds, nows = append(olds, figures[old]), append(nows, figures[now])
		}
	}
	line := func(name string, of func(versionFigures) float64) {
		var a, b, ratios []float64
		for i := range olds {
			if of(olds[i]) > 0 {
				a, b, ratios = append(a, of(olds[i])), append(b, of(nows[i])), append(ratios, of(nows[i])/of(olds[i]))
			}
		}
		if len(ratios) > 0 {
			t.Logf("   %-38s %8.0f → %8.0f, ratio %.3f (%.2f to %.2f)", name, median(a), median(b), median(ratios), slices.Min(ratios), slices.Max(ratios))
		}
	}
	line("a second", func(f versionFigures) float64 { return f.rate })
	line("µs of the program for each", func(f versionFigures) float64 { return f.own })
	line("µs of PostgreSQL for each", func(f versionFigures) float64 { return f.postgres })
	if old.postgres != 0 {
		line("µs of both for each", func(f versionFigures) float64 { return f.own + f.postgres })
	}
}
