package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
)

// What the program promises, and how much slack machines and the race detector
// get here: these tests are to notice that a promise was forgotten, not that a
// machine is busy.
const (
	promisedStart  = 100 * time.Millisecond
	promisedMemory = 40 << 20 // idle
	slack          = 3
)

// memory reads a figure of the process, such as VmRSS or VmHWM, in bytes.
func (s *server) memory(t testing.TB, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		t.Fatalf("no %s in\n%s", name, status)
	}
	kib, _ := strconv.Atoi(string(found[1]))
	return kib << 10
}

func mib(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// TestStartAndIdleMemory is not parallel: it measures.
func TestStartAndIdleMemory(t *testing.T) {
	best := time.Hour
	var idle int
	idp := testidp.New(t)
	for range 5 {
		began := time.Now()
		s := startWith(t, idp, "--database", emptySQLite(t), "--sample-data")
		for ready := false; !ready; {
			status, _ := s.manage(t, "/readyz")
			ready = status == http.StatusOK
			if time.Since(began) > patience {
				t.Fatal("it does not get ready")
			}
		}
		best = min(best, time.Since(began))
		s.as(t, reader).get("/books").want(200)
		idle = s.memory(t, "VmRSS")
		s.stop(t, terminate)
	}
	t.Logf("from start to ready in %v at best; %s resident when idle", best.Round(time.Millisecond), mib(idle))
	if raceEnabled {
		return // not the program that is promised
	}
	if best > slack*promisedStart {
		t.Errorf("the start takes %v, promised are %v", best, promisedStart)
	}
	if idle > slack*promisedMemory {
		t.Errorf("%s resident when idle, promised are %s", mib(idle), mib(promisedMemory))
	}
}

// addManyBooks adds books past the API, copies of one that was added through it.
func addManyBooks(t testing.TB, s *server, database string, n int) {
	t.Helper()
	description := strings.Repeat("All work and no play makes Jack a dull boy. ", 100)
	addCopies(t, s, database, n, map[string]any{"description": description})
}

// addCopies adds n copies of a book with these fields, past the API.
func addCopies(t testing.TB, s *server, database string, n int, fields map[string]any) {
	t.Helper()
	fields["title"] = "Original"
	s.as(t, curator).post("/books", fields).want(201)
	const columns = `isbn, isbn_key, description, authors, created_at, version, search_words, author_words`
	series := sqlText(database,
		`WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < $1)`,
		`WITH copies (n) AS (SELECT generate_series(1, $1::int))`)
	id := sqlText(database, `printf('00000000-0000-4000-8000-%012d', n)`, `'00000000-0000-4000-8000-' || lpad(n::text, 12, '0')`)
	title := sqlText(database, `printf('copy %06d', n)`, `'copy ' || lpad(n::text, 6, '0')`)
	_, err := openSQL(t, database, "rw").Exec(series+` INSERT INTO books (id, title, title_key, `+columns+`)
		SELECT `+id+`, `+title+`, `+title+`, `+columns+` FROM books CROSS JOIN copies WHERE title = 'Original'`, n)
	if err != nil {
		t.Fatal(err)
	}
}

func TestLongListIsStreamedInConstantMemory(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		many := scaled(20_000)
		s := startOn(t, database)
		s.as(t, reader).get("/books").want(200)
		before := s.memory(t, "VmHWM")
		addManyBooks(t, s, database, many)

		req, err := http.NewRequest("GET", s.base+"/books", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+s.as(t, reader).token)
		client := *s.client
		client.Timeout = 2 * time.Minute
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body := &counter{r: resp.Body}
		decoder := json.NewDecoder(body)
		decoder.Token() // [
		books, last := 0, ""
		for ; decoder.More(); books++ {
			var b book
			if err := decoder.Decode(&b); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(last, "copy") && strings.HasPrefix(b.Title, "copy") && b.Title < last {
				t.Fatalf("%q comes after %q", b.Title, last)
			}
			last = b.Title
		}
		want := many + sampleBooks + 1
		if books != want || resp.Header.Get("X-Total-Count") != strconv.Itoa(want) {
			t.Errorf("%d books, X-Total-Count %s, want %d", books, resp.Header.Get("X-Total-Count"), want)
		}
		grown := s.memory(t, "VmHWM") - before
		t.Logf("a list of %s raised the peak of memory by %s to %s", mib(body.n), mib(grown), mib(s.memory(t, "VmHWM")))
		if raceEnabled {
			return // the detector has a memory of its own
		}
		if body.n < 80<<20 {
			t.Fatalf("the list is only %s long; it proves nothing", mib(body.n))
		}
		// A list that is put together in memory costs several times its length.
		if grown > body.n {
			t.Errorf("a list of %s raised the peak of memory by %s", mib(body.n), mib(grown))
		}
	})
}

// counter counts what is read through it.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}
