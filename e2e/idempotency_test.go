package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// lossy stands between clients and a server. It passes every request on, but of
// each POST it loses the first answer.
type lossy struct {
	*httptest.Server
	to   string
	http http.RoundTripper

	mu      sync.Mutex
	seen    map[string]int // how often each key was there
	losses  atomic.Int64
	replays atomic.Int64 // answers that were given again
	late    sync.WaitGroup
}

func newLossy(t *testing.T, to string) *lossy {
	t.Helper()
	l := &lossy{to: to, http: &http.Transport{MaxIdleConnsPerHost: 32}, seen: map[string]int{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(func() { l.Close(); l.late.Wait() })
	return l
}

func (l *lossy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	key := r.Header.Get("Idempotency-Key")
	l.mu.Lock()
	l.seen[key]++
	isFirst, way := r.Method == http.MethodPost && l.seen[key] == 1, len(l.seen)%3
	l.mu.Unlock()
	if !isFirst {
		if l.pass(w, r, body, false) != nil {
			panic(http.ErrAbortHandler)
		}
		return
	}
	l.losses.Add(1)
	switch way {
	case 0: // while it is being worked on
		goesOn := r.Clone(context.WithoutCancel(r.Context()))
		l.late.Go(func() { l.pass(httptest.NewRecorder(), goesOn, body, false) })
	case 1: // when it is done
		l.pass(httptest.NewRecorder(), r, body, false)
	default: // in the middle of the answer
		l.pass(w, r, body, true)
	}
	panic(http.ErrAbortHandler)
}

// pass sends a request on and passes on the answer, or its first half.
func (l *lossy) pass(w http.ResponseWriter, r *http.Request, body []byte, half bool) error {
	request, err := http.NewRequestWithContext(r.Context(), r.Method, l.to+r.RequestURI, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header = r.Header
	resp, err := l.http.RoundTrip(request)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	for name, values := range resp.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	if half {
		answer = answer[:len(answer)/2]
	}
	w.WriteHeader(resp.StatusCode)
	w.Write(answer)
	if flusher, ok := w.(http.Flusher); ok {
		flusher.Flush()
	}
	if resp.Header.Get("Idempotency-Replayed") == "true" {
		l.replays.Add(1)
	}
	return nil
}

// TestWhatIsAskedForIsDoneOnceThoughEveryAnswerIsLost borrows many books,
// renews and returns them, by way of a network that loses the first answer to each
// of these requests: every request succeeds, and nothing is done twice.
func TestWhatIsAskedForIsDoneOnceThoughEveryAnswerIsLost(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		const readers, atOnce = 5, 48
		books := testkit.Enough(scaled(1000))
		s := startOn(t, database)
		ids := importNumbered(t, s.goClient(t, curator), books)
		network := newLossy(t, s.root)
		clients := make([]*client.Client, readers)
		newReaders, _ := addReaders(t, []*server{s}, readers)
		for i := range newReaders {
			token := s.idp.Mint(t, testidp.Claims{"email": fmt.Sprintf("reader-%d@example.com", i), "scope": "library_user"}, testidp.ES256())
			c, err := client.New(network.URL+basePath, client.StaticSource(client.Token{Access: token}))
			testkit.NoError(t, err)
			clients[i] = c
		}
		loans := make([]string, books)
		each := func(doing string, do func(c *client.Client, i int) error) {
			t.Helper()
			inParallel(atOnce, books, func(i int) {
				if err := do(clients[i%readers], i); err != nil {
					t.Errorf("%s book %d: %v", doing, i, err)
				}
			})
			if t.Failed() {
				t.FailNow()
			}
		}
		const open = `SELECT count(*) FROM loans WHERE returned_at IS NULL`
		wantCount := func(want int, query string) {
			t.Helper()
			if n := count(t, database, query); n != want {
				t.Errorf("%s: %d, want %d", query, n, want)
			}
		}
		each("borrow", func(c *client.Client, i int) error {
			b, err := c.Borrow(t.Context(), ids[i])
			if err == nil {
				loans[i] = b.Loan.Identifier
			}
			return err
		})
		wantCount(books, open)
		wantCount(books, `SELECT count(DISTINCT book_id) FROM loans`)
		longerLoans(t, s)
		each("renew", func(c *client.Client, i int) error { _, err := c.Renew(t.Context(), loans[i]); return err })
		wantCount(books, open+` AND renewals = 1`)
		each("return", func(c *client.Client, i int) error {
			l, err := c.ReturnLoan(t.Context(), loans[i])
			if err == nil && l.ReturnedAt == "" {
				err = fmt.Errorf("it is still open: %+v", l)
			}
			return err
		})
		network.late.Wait()
		wantCount(0, open)
		wantCount(books, `SELECT count(*) FROM loans`)
		if lost, replays := network.losses.Load(), network.replays.Load(); lost != 3*int64(books) || replays < 2*int64(books) {
			t.Errorf("%d answers were lost, %d were given again", lost, replays)
		}
	})
}

// importNumbered adds books of one copy and returns their identifiers.
func importNumbered(t *testing.T, c *client.Client, n int) []string {
	t.Helper()
	batch := make([]client.EncodedRow, n)
	for i := range batch {
		batch[i] = client.EncodeBook(client.BookFields{BookFields: api.BookFields{Title: fmt.Sprint("Book ", i)}})
	}
	results := must[[]api.ImportResult](t)(c.ImportBooks(t.Context(), batch, client.ImportOptions{}))
	ids := make([]string, n)
	for i, r := range results {
		if r.Outcome != client.Added {
			t.Fatalf("book %d: %+v", i, r)
		}
		ids[i] = r.Identifier
	}
	return ids
}

// longerLoans changes the rules so that a renewal moves the due date on the day of
// the loan.
func longerLoans(t *testing.T, s *server) {
	t.Helper()
	c := s.goClient(t, admin)
	rules, version, err := c.Policy(t.Context())
	if err == nil {
		rules.LoanDays++
		_, err = c.EditPolicy(t.Context(), rules, version)
	}
	testkit.NoError(t, err)
}

// TestATerminalGetsTheAnswerThatWasLost renews a loan, which twice would be a
// difference.
func TestATerminalGetsTheAnswerThatWasLost(t *testing.T) {
	t.Parallel()
	database := emptySQLite(t)
	s := startOn(t, database)
	network := newLossy(t, s.root)
	token := s.idp.Mint(t, testidp.Claims{"email": reader.email, "scope": reader.scope}, testidp.ES256())
	env := []string{"LIBRARY_TOKEN=" + token, "LIBRARY_SERVER=" + network.URL + basePath}
	for i, args := range [][]string{{"books", "borrow", cleanCode}, {"loans", "renew", cleanCode}} {
		if i == 1 {
			longerLoans(t, s)
		}
		if o := runProgram(t, env, args...); o.code != 0 {
			t.Fatalf("%v: exit code %d\n%s%s", args, o.code, o.stdout, o.stderr)
		}
	}
	if n := count(t, database, `SELECT count(*) FROM loans WHERE renewals = 1`); n != 1 || network.losses.Load() != 2 {
		t.Errorf("%d loans were renewed once, %d answers were lost", n, network.losses.Load())
	}
}
