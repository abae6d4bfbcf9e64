package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
	length := -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		switch {
		case first:
			status, _ = strconv.Atoi(string(line[9:12]))
		case len(line) == 2:
			if length < 0 {
				return 0, fmt.Errorf("answer without Content-Length")
			}
			_, err := c.in.Discard(length)
			return status, err
		case bytes.HasPrefix(line, []byte("Content-Length: ")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(line[16:])))
		}
	}
}

func request(method, path, token string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n", method, path, token)
	if method != "GET" {
		b.WriteString("Content-Length: 0\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// rate runs work on many goroutines for a while and returns how often a second
// it was done. Each goroutine has its own worker.
func rate(t *testing.T, workers int, d time.Duration, newWorker func(i int) (work func() error, done func())) float64 {
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
	return float64(count.Load()) / time.Since(began).Seconds()
}

// httpRate is the rate of one request over several connections.
func httpRate(t *testing.T, addr string, req []byte, conns int, d time.Duration) float64 {
	return rate(t, conns, d, func(int) (func() error, func()) {
		c, err := dial(addr)
		if err != nil {
			t.Fatal(err)
		}
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

// compare measures ours and the reference in turns and reports the median of
// the ratios.
func compare(t *testing.T, what string, target float64, ours, reference func() float64) {
	t.Helper()
	ours() // warm up
	reference()
	var ratios, a, b []float64
	for range *rounds {
		r, o := reference(), ours()
		a, b, ratios = append(a, o), append(b, r), append(ratios, o/r)
	}
	slices.Sort(ratios)
	t.Logf("%-44s ours %9.0f/s  reference %9.0f/s  ratio %.2f (%.2f to %.2f)  target %.2f",
		what, median(a), median(b), median(ratios), ratios[0], ratios[len(ratios)-1], target)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// fetch gets one body.
func fetch(t *testing.T, addr string, req []byte) []byte {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write(bytes.Replace(req, []byte("\r\n\r\n"), []byte("\r\nConnection: close\r\n\r\n"), 1)); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, body, _ := bytes.Cut(all, []byte("\r\n\r\n"))
	if !strings.HasPrefix(string(head), "HTTP/1.1 200 ") {
		t.Fatalf("answer: %s", head)
	}
	return body
}
