package bench

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// Titles are made of these words, so that a library of any size has the same
// kind of language: the first are common, the numbers are rare.
var (
	openings = []string{"The", "A Short History of", "Notes on", "Letters from", "Beyond", "In Praise of", "The Last", "An Introduction to"}
	subjects = []string{"Gardens", "Rivers", "Compilers", "Winter", "Mountains", "Harbours", "Algebra", "Silence", "Trade", "Bridges", "Orchards", "Type", "Maps", "Clocks", "Bread", "Glass"}
	names    = []string{"Adler", "Brandt", "Calvino", "Duras", "Ekström", "Fontane", "Ginzburg", "Hamsun", "Ibsen", "Jelinek", "Kästner", "Lem"}
)

// generated is the i-th book of a large library.
func generated(i int) library.Book {
	return library.Book{
		ID: bookID(i),
		BookFields: library.BookFields{
			Title:       fmt.Sprintf("%s %s, volume %s", openings[i%len(openings)], subjects[i/7%len(subjects)], rare(i)),
			ISBN:        fmt.Sprintf("%d", 9780000000000+i),
			Description: fmt.Sprintf("About %s and %s, for patient readers.", subjects[i%len(subjects)], subjects[i/3%len(subjects)]),
			Authors:     []string{names[i%len(names)] + " " + names[i/5%len(names)]},
			Kind:        library.KindBook,
		},
		Created: time.UnixMicro(int64(i)).UTC(),
		Version: "0000000000000001",
		Stock:   library.Stock{Copies: 1, Available: 1},
	}
}

// rare is a word that only a handful of books of any library have.
func rare(i int) string { return "v" + strconv.FormatInt(int64(i), 36) + "q" }

// TestGrowth shows how the time of a request grows with the library. A search
// for a rare word and a look-up by identifier should hardly grow at all, one for a common
// word at most four times.
func TestGrowth(t *testing.T) {
	sizes := []int{1_000, 5_000}
	if *large {
		sizes = []int{10_000, 100_000, 1_000_000}
	}
	for name := range databases {
		t.Run(name, func(t *testing.T) {
			first := make(map[string]cost)
			for _, size := range sizes {
				measureGrowth(t, name, libraryOf(t, name, size), size, first)
			}
		})
	}
}

// cost is the median time of one request, and of processors: the program's and the server's.
type cost struct{ time, processor time.Duration }

func measureGrowth(t *testing.T, name, database string, size int, first map[string]cost) {
	cmd, addr, idp := startLibrary(t, database)
	defer cmd.Process.Kill()
	token, curator := idp.Token(t, reader, "library_user"), idp.Token(t, "peter.parker@example.com", "library_curator")
	began := time.Now()
	t.Logf("%-9s %9d books  the titles are divided after %v", name, size, time.Since(began).Round(time.Millisecond))
	server := 0
	if name == "postgres" {
		server = postgresServer(t, database)
	}
	t.Logf("%-9s %9d books  load average %s", name, size, loadAverage(t))
	n := 2 * len(subjects) // as many different questions as there are
	for _, r := range growthRequests(size, func(i int, title string) { editBook(t, addr, curator, i, title) }) {
		took := latency(t, addr, token, n, r, func() []int { return append(childrenOf(t, server), cmd.Process.Pid) })
		if first[r.what].time == 0 {
			first[r.what] = took
		}
		t.Logf("%-9s %9d books  %-38s median %10v, processor %10v  growth %.2f, processor %.2f", name, size, r.what, took.time, took.processor,
			float64(took.time)/float64(first[r.what].time), float64(took.processor)/float64(first[r.what].processor))
	}
	began = time.Now()
	length := streamAll(t, addr, token)
	t.Logf("%-9s %9d books  whole list: %d MB in %v, peak memory of the process %d MB", name, size, length>>20, time.Since(began).Round(time.Millisecond), peakMemory(t, cmd)>>20)
}

type growthRequest struct {
	what   string
	path   func(i int) string
	before func(i int) // what somebody else does before each request
}

// growthRequests are all different, so that nothing is answered from a cache.
func growthRequests(size int, edit func(i int, title string)) []growthRequest {
	step := max(size/500, 1)
	// Words of the openings are in an eighth of all books, which follow each other in the order of titles.
	subjects, together := subjects, []string{"short", "history", "notes", "letters", "beyond", "praise", "last", "introduction"}
	if *recordsFile != "" {
		subjects, together = recordWords, recordWords[:8]
	}
	requests := []growthRequest{
		{"GET /books/{id}", func(i int) string { return "/books/" + bookID(i*step%size) }, nil},
		{"GET /books?q=rare word&limit=20", func(i int) string { return "/books?limit=20&q=" + rare(i*step%size) }, nil},
		{"GET /books?q=two words&limit=20", func(i int) string { return "/books?limit=20&q=volume+" + rare(i*step%size) }, nil},
		{"GET /books?limit=20", func(i int) string { return fmt.Sprintf("/books?limit=%d", 20+i) }, nil},
	}
	for _, common := range []struct {
		kind  string
		words []string
	}{{"common word", subjects}, {"common, together", together}} {
		kind, words := common.kind, common.words
		requests = append(requests, growthRequest{"GET /books?q=" + kind + "&limit=20", func(i int) string {
			word := words[i%len(words)]
			return "/books?limit=20&q=" + word[:len(word)-i/len(words)]
		}, nil})
		requests = append(requests, growthRequest{"GET /books?q=" + kind + "&sort=relevance&limit=20", func(i int) string {
			word := words[i%len(words)]
			return "/books?limit=20&sort=relevance&q=" + word[:len(word)-i/len(words)]
		}, nil})
		last := words[len(words)-2]
		// The same word again, and another page: its books are counted once.
		requests = append(requests, growthRequest{"GET /books?q=" + kind + " again&limit=N", func(i int) string { return fmt.Sprintf("/books?limit=%d&q=%s", 20+i, last) }, nil})
		// The same word after an edit of a book that has it, or has got it: the count is corrected.
		requests = append(requests, growthRequest{"GET /books?q=" + kind + " after an edit", func(int) string { return "/books?limit=20&q=" + last }, func(i int) {
			edit(i*step%size, []string{last, "Rivers"}[i%2])
		}})
	}
	// A letter too many near the end: each is a step from a word that many books have.
	requests = append(requests, growthRequest{"GET /books?q=misspelt&fuzzy=true&limit=20", func(i int) string {
		word := subjects[i%len(subjects)]
		at := len(word) - 1 - i/len(subjects)
		return "/books?limit=20&sort=relevance&fuzzy=true&q=" + word[:at] + "x" + word[at:]
	}, nil})
	return append(requests, findingRequests(subjects)...)
}

// findingRequests ask for what surrounds a search, with beginnings of words that were not counted before.
func findingRequests(words []string) []growthRequest {
	begin := func(i int) string {
		word := words[i%len(words)]
		return word[:max(len(word)-2-i/len(words), 2)]
	}
	return []growthRequest{
		{"GET /books/facets?q=common word", func(i int) string { return "/books/facets?q=" + begin(i) }, nil},
		{"GET /books/facets?q=common word&from=1501", func(i int) string { return "/books/facets?from=1501&q=" + begin(i) }, nil},
		{"GET /books?q=common word&sort=relevance&from=1501", func(i int) string { return "/books?limit=20&sort=relevance&from=1501&q=" + begin(i) }, nil},
		{"GET /suggestions?q=common", func(i int) string { return "/suggestions?q=" + begin(i) }, nil},
		{"GET /suggestions?q=rare", func(i int) string { return "/suggestions?q=" + rare((i + 1) * 7919)[:4] }, nil},
	}
}

// editBook gives a book another title.
func editBook(t *testing.T, addr, token string, i int, title string) {
	t.Helper()
	req, err := http.NewRequest("PUT", "http://"+addr+base+"/books/"+bookID(i), strings.NewReader(`{"title":"`+title+`"}`))
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	testkit.NoError(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("edit of book %d: %s", i, resp.Status)
	}
}

// latency is the cost of one request at a time. pids are the processes that work on it.
func latency(t *testing.T, addr, token string, n int, r growthRequest, pids func() []int) cost {
	t.Helper()
	c, err := dial(addr)
	testkit.NoError(t, err)
	defer c.conn.Close()
	var times, processor []time.Duration
	for i := range n {
		if r.before != nil {
			r.before(i)
		}
		req := request("GET", base+r.path(i), token)
		ran, began := runTime(pids()), time.Now()
		testkit.NoError(t, want(200)(c.do(req)))
		times = append(times, time.Since(began))
		processor = append(processor, grown(ran, runTime(pids())))
	}
	slices.Sort(times)
	slices.Sort(processor)
	return cost{times[n/2], processor[n/2]}
}

func streamAll(t *testing.T, addr, token string) (bytes int64) {
	t.Helper()
	req, err := http.NewRequest("GET", "http://"+addr+base+"/books", nil)
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	testkit.NoError(t, err)
	return n
}

// peakMemory is the largest resident size that a process had.
func peakMemory(t *testing.T, cmd *exec.Cmd) int64 {
	t.Helper()
	f, err := os.Open(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	testkit.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if kb, ok := strings.CutPrefix(lines.Text(), "VmHWM:"); ok {
			n, _ := strconv.ParseInt(strings.Fields(kb)[0], 10, 64)
			return n << 10
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
