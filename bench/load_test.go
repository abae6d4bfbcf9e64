package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// client is one keep-alive connection that does as little as possible, so that
// what is measured is the server.
type client struct {
	conn net.Conn
	in   *bufio.Reader
}

func dial(addr string) (*client, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, 64<<10)}, nil
}

// do sends a ready-made request and reads the answer, of which it returns the
// status.
func (c *client) do(request []byte) (status int, err error) {
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	length, chunked := -1, false
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		switch {
		case first:
			status, _ = strconv.Atoi(string(line[9:12]))
		case len(line) == 2 && chunked:
			return status, c.discardChunks()
		case len(line) == 2 && length >= 0:
			_, err := c.in.Discard(length)
			return status, err
		case len(line) == 2:
			return 0, fmt.Errorf("answer without length")
		case bytes.EqualFold(line, []byte("Transfer-Encoding: chunked\r\n")):
			chunked = true
		case len(line) > 16 && bytes.EqualFold(line[:16], []byte("Content-Length: ")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(line[16:])))
		}
	}
}

func (c *client) discardChunks() error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return err
		}
		if _, err := c.in.Discard(int(n) + 2); err != nil || n == 0 {
			return err
		}
	}
}

func request(method, path, token string) []byte { return requestWith(method, path, token, "") }

// requestWith is request with a body of JSON.
func requestWith(method, path, token, body string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n", method, path, token)
	if body != "" {
		b.WriteString("Content-Type: application/json\r\n")
	}
	if method != "GET" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	return b.Bytes()
}

// rate runs work on many goroutines for a while and returns how often a second
// it was done. Each goroutine has its own worker.
func rate(t *testing.T, workers int, d time.Duration, newWorker func(i int) (work func() error, done func())) float64 {
	t.Helper()
	_, r := counted(t, workers, d, newWorker)
	return r
}

// counted returns how often the work was done, and how often a second that is.
func counted(t *testing.T, workers int, d time.Duration, newWorker func(i int) (work func() error, done func())) (int, float64) {
	t.Helper()
	var count atomic.Int64
	var wg sync.WaitGroup
	stop := make(chan struct{})
	began := time.Now()
	for i := range workers {
		work, done := newWorker(i)
		wg.Go(func() {
			defer done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := work(); err != nil {
					t.Errorf("worker %d: %v", i, err)
					return
				}
				count.Add(1)
			}
		})
	}
	time.Sleep(d)
	close(stop)
	wg.Wait()
	return int(count.Load()), float64(count.Load()) / time.Since(began).Seconds()
}

// httpRate is the rate of one request over several connections.
func httpRate(t *testing.T, addr string, req []byte, conns int, d time.Duration) float64 {
	return rate(t, conns, d, func(int) (func() error, func()) {
		c, err := dial(addr)
		testkit.NoError(t, err)
		return func() error { return want(200)(c.do(req)) }, func() { c.conn.Close() }
	})
}

func want(status int) func(int, error) error {
	return func(got int, err error) error {
		if err == nil && got != status {
			err = fmt.Errorf("status %d, want %d", got, status)
		}
		return err
	}
}

// reference is something to compare with.
type reference struct {
	name   string
	target float64 // what we want to reach of it; 0 for no target
	rate   func() float64
}

// compare measures ours and the references in turns and reports the medians of
// the ratios.
func compare(t *testing.T, what string, ours func() float64, references ...reference) {
	t.Helper()
	ours() // warm up
	for _, r := range references {
		r.rate()
	}
	ratios := make([][]float64, len(references))
	var rates []float64
	for range *rounds {
		for i, r := range references {
			theirs, o := r.rate(), ours()
			ratios[i], rates = append(ratios[i], o/theirs), append(rates, o)
		}
	}
	t.Logf("%s: %.0f/s", what, median(rates))
	for i, r := range references {
		slices.Sort(ratios[i])
		t.Logf("   %.2f of %s (%.2f to %.2f; target %.2f)", median(ratios[i]), r.name, ratios[i][0], ratios[i][len(ratios[i])-1], r.target)
	}
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// fetch gets one answer.
func fetch(t *testing.T, addr string, req []byte) (http.Header, []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	testkit.NoError(t, err)
	defer conn.Close()
	if _, err := conn.Write(req); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status, err)
	}
	resp.Header.Del("Date") // net/http's own
	return resp.Header, body
}
