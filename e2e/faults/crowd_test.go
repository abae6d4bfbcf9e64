package faults

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/storetest/linearizability"
)

// crowd is the readers of a library at work. Each has its own connections and
// walks from book to book.
type crowd struct {
	library *library
	at      func(reader int) string // host:port that a reader asks next
	books   func(reader int) []string
	rest    time.Duration // about as long does a reader think between two steps
	began   time.Time
	lookers int // how many of the readers only look

	stop context.CancelFunc
	done sync.WaitGroup

	mu      sync.Mutex
	answers []answer
}

// answer is what a reader was answered, and when.
type answer struct {
	linearizability.Step
	reader       int
	called, took time.Duration // called since the crowd began
	sent         bool          // the request may have been read by somebody
	status       int           // 0 if there was no answer
	code         string        // of a refusal; "" if it is not the program's
	who          string        // has the book now: a reader's identifier, or linearizability.Free
	loan         string        // the reader's own, after it has borrowed
	retryAfter   string
	failure      error
}

// An option changes what a crowd does.
type option func(*crowd)

// atAddress sends every reader to one address.
func atAddress(addr string) option { return func(c *crowd) { c.at = func(int) string { return addr } } }

// onBooks gives every reader books of its own choice.
func onBooks(books func(reader int) []string) option { return func(c *crowd) { c.books = books } }

// withLookers lets two of the readers only look.
func withLookers(c *crowd) { c.lookers = 2 }

// gather lets the readers begin. They ask one process each, and all books.
func (l *library) gather(t testing.TB, options ...option) *crowd {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := &crowd{library: l, rest: 5 * time.Millisecond, began: time.Now(), stop: stop}
	c.at = func(i int) string { return l.servers[i%len(l.servers)].addr }
	c.books = func(int) []string { return l.books }
	for _, o := range options {
		o(c)
	}
	for i := range l.readers {
		c.done.Go(func() { c.walk(ctx, i) })
	}
	t.Cleanup(func() { stop(); c.done.Wait() })
	return c
}

// walk is what one reader does until it is stopped: mostly it borrows what it
// does not have and returns what it has.
func (c *crowd) walk(ctx context.Context, i int) {
	r := rand.New(rand.NewPCG(uint64(i), 13))
	client := &http.Client{Timeout: clientTimeout, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	mine := map[string]bool{}
	for ctx.Err() == nil {
		books := c.books(i)
		step := linearizability.Step{Act: "borrow", Book: books[r.IntN(len(books))], Reader: c.library.readers[i].id}
		switch {
		case i < c.lookers, r.IntN(5) == 0:
			step.Act = "look"
		case mine[step.Book], r.IntN(10) == 0:
			step.Act = "return"
		}
		a := c.ask(client, i, step)
		if a.status == http.StatusOK && step.Act != "look" {
			mine[step.Book] = step.Act == "borrow"
		}
		c.mu.Lock()
		c.answers = append(c.answers, a)
		c.mu.Unlock()
		time.Sleep(c.rest/2 + time.Duration(r.Int64N(int64(c.rest))))
	}
}

// ask takes one step.
func (c *crowd) ask(client *http.Client, i int, step linearizability.Step) (a answer) {
	a = answer{Step: step, reader: i, called: time.Since(c.began)}
	method, path := http.MethodPost, "/books/"+step.Book+"/"+step.Act
	if step.Act == "look" {
		method, path = http.MethodGet, "/books/"+step.Book
	}
	defer func() { a.took = time.Since(c.began) - a.called }()
	req, err := http.NewRequest(method, "http://"+c.at(i)+basePath+path, nil)
	if err != nil {
		a.failure = err
		return a
	}
	req.Header.Set("Authorization", "Bearer "+c.library.readers[i].token)
	resp, err := client.Do(req)
	if err != nil {
		var network *net.OpError
		a.failure, a.sent = err, !(errors.As(err, &network) && network.Op == "dial")
		return a
	}
	defer resp.Body.Close()
	a.sent = true
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		a.failure = err
		return a
	}
	a.status, a.retryAfter = resp.StatusCode, resp.Header.Get("Retry-After")
	a.read(resp.Header.Get("Content-Type"), body)
	return a
}

// read takes what it needs from the body of an answer.
func (a *answer) read(contentType string, body []byte) {
	if !strings.HasPrefix(contentType, "application/json") {
		return
	}
	var b struct {
		Code       string
		BorrowedBy *struct{ Identifier string }
		Loan       *struct{ Identifier string }
	}
	if a.failure = json.Unmarshal(body, &b); a.failure != nil {
		return
	}
	a.code, a.who = b.Code, linearizability.Free
	if b.BorrowedBy != nil {
		a.who = b.BorrowedBy.Identifier
	}
	if b.Loan != nil {
		a.loan = b.Loan.Identifier
	}
}

// since is how long the crowd has been at work: the time of its answers.
func (c *crowd) since() time.Duration { return time.Since(c.began) }

// sofar is the answers until now.
func (c *crowd) sofar() history {
	c.mu.Lock()
	defer c.mu.Unlock()
	return history{c.library, slices.Clone(c.answers)}
}

// end lets the readers finish what they are doing.
func (c *crowd) end() history {
	c.stop()
	c.done.Wait()
	return history{c.library, c.answers}
}
