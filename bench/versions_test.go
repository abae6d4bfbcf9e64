package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

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
			old := startVersion(t, *before, newDatabase(t), idp)
			now := startVersion(t, *after, newDatabase(t), idp)
			for _, l := range versionLoads {
				if l.processes <= len(now.addrs) {
					t.Run(l.name, func(t *testing.T) { compareVersions(t, l, idp, old, now) })
				}
			}
		})
	}
}

// startVersion runs three processes on PostgreSQL and one on SQLite, and fills the library
// over HTTP, which all versions understand.
func startVersion(t *testing.T, build, database string, idp *testidp.Provider) *contender {
	t.Helper()
	processes := 3
	if strings.HasPrefix(database, "sqlite:") {
		processes = 1
	}
	var addrs []string
	var pids []int
	for range processes {
		cmd := program(database, idp)
		if build != "" {
			cmd = exec.Command(build, cmd.Args[1:]...)
		}
		addrs = append(addrs, start(t, cmd))
		pids = append(pids, cmd.Process.Pid)
	}
	fillVersion(t, addrs[0], idp)
	v := tokenService(t, "the program", pids[0], addrs[0], idp)
	v.pids, v.addrs = pids, addrs
	return v.on(t, database)
}

// fillVersion adds books and readers over HTTP.
func fillVersion(t *testing.T, addr string, idp *testidp.Provider) {
	t.Helper()
	type record = map[string]any
	var books []record
	for i := range versionBooks {
		b := generated(i)
		books = append(books, record{"identifier": b.ID, "title": b.Title, "isbn": b.ISBN, "description": b.Description, "authors": b.Authors})
	}
	post(t, addr, "/imports/books", idp.Token(t, "peter.parker@example.com", "library_curator"), books)
	admin := idp.Token(t, "clark.kent@example.com", "library_admin")
	for i := range manyLenders {
		post(t, addr, "/users", admin, record{"identifier": readerID(i), "email": readerEmail(i),
			"firstName": "Reader", "lastName": fmt.Sprint(i), "roles": []string{"LIBRARY_USER"}, "password": "a password of before"})
	}
}

func post(t *testing.T, addr, path, token string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	testkit.NoError(t, err)
	req, err := http.NewRequest("POST", "http://"+addr+base+path, bytes.NewReader(text))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
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
	worker    func(t *testing.T, s *contender, idp *testidp.Provider) newWorker
}

var versionLoads = []versionLoad{
	{name: "GET /books?limit=20", workers: conns, processes: 1, worker: versionReader(func(int64) string { return "/books?limit=20" })},
	{name: "GET /books/{id}", workers: conns, processes: 1, worker: versionReader(func(int64) string { return "/books/" + bookID(7) })},
	{name: "search, each time another", workers: conns, processes: 1, worker: versionReader(func(i int64) string {
		return fmt.Sprintf("/books?q=%s&limit=%d", rare(int(i%versionBooks)), 1+i/versionBooks%1000)
	})},
	{name: "GET /books?limit=20 beside 50 loans or returns a second", workers: conns, processes: 1, lending: lendingRate,
		worker: versionReader(func(int64) string { return "/books?limit=20" })},
	{name: "borrow and return, 1 reader", workers: 1, processes: 1, worker: versionLender},
	{name: "borrow and return, 16 readers", workers: manyLenders, processes: 1, worker: versionLender},
	{name: "borrow and return, 16 readers at three processes", workers: manyLenders, processes: 3, worker: versionLender},
}

func versionLender(t *testing.T, s *contender, _ *testidp.Provider) newWorker { return s.lender(t) }

// versionReader gets one address after the other, numbered over all rounds.
func versionReader(path func(i int64) string) func(*testing.T, *contender, *testidp.Provider) newWorker {
	var last atomic.Int64
	return func(t *testing.T, s *contender, idp *testidp.Provider) newWorker {
		token := idp.Token(t, reader, "library_user email profile")
		return func(i int) (func() error, func()) {
			c := s.dial(t, i)
			return func() error { return want(200)(c.do(request("GET", base+path(last.Add(1)), token))) }, func() { c.conn.Close() }
		}
	}
}

// beside lends and takes back books while the first of the workers is at work.
func beside(t *testing.T, s *contender, idp *testidp.Provider, perSecond int, newWorker newWorker) newWorker {
	token := idp.Token(t, "bruce.banner@example.com", "library_user")
	return func(i int) (func() error, func()) {
		work, done := newWorker(i)
		if i > 0 {
			return work, done
		}
		end := lendBeside(t, s.addrs[0], token, 20, perSecond)
		return work, func() { done(); end() }
	}
}

// compareVersions measures both alternately.
func compareVersions(t *testing.T, l versionLoad, idp *testidp.Provider, old, now *contender) {
	t.Helper()
	all := inRounds(t, l.workers, func(s *contender) newWorker { return beside(t, s, idp, l.lending, l.worker(t, s, idp)) },
		old.at(l.processes), now.at(l.processes))
	before, after := mediansOf(all[0]), mediansOf(all[1])
	for _, line := range []struct {
		name string
		of   figure
	}{
		{"a second", perSecond}, {"µs of the program for each", ownTime}, {"µs of PostgreSQL for each", postgresTime},
		{"µs of both for each", allTime}, {"KB of write-ahead log for each", logSize},
	} {
		ratios := ratiosOf(all[1], all[0], line.of)
		if len(ratios) == 0 || line.of == allTime && old.postgres == 0 {
			continue
		}
		t.Logf("   %-32s %8.1f → %8.1f, ratio %.3f (%.2f to %.2f)", line.name, before[line.of], after[line.of], median(ratios), slices.Min(ratios), slices.Max(ratios))
	}
}
