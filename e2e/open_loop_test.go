//go:build !race

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// callers are many connections over which requests are sent at a pace of their own,
// whether others have been answered or not. They do as little as possible, because they
// use the same processors as the program.
type callers struct {
	addr    string
	ask     func() []byte // the next request
	timeout time.Duration // after which a caller goes away
	tally
}

// tally is what became of the requests.
type tally struct {
	good    atomic.Int64 // answered while the caller was patient
	refused atomic.Int64 // with 503, overloaded, within the same time
	late    atomic.Int64 // not answered then, or no connection was free
	broken  atomic.Int64 // the connection was closed
	other   sync.Map     // statuses of what else was answered
}

func (c *callers) reset() {
	for _, n := range []*atomic.Int64{&c.good, &c.refused, &c.late, &c.broken} {
		n.Store(0)
	}
}

func newCallers(s *server, timeout time.Duration, ask func() []byte) *callers {
	return &callers{addr: strings.TrimPrefix(s.root, "http://"), timeout: timeout, ask: ask}
}

// request is one that is ready to be sent.
func (s session) request(method, path string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n", method, basePath, path, s.token)
	if method != "GET" {
		b.WriteString("Content-Length: 0\r\n")
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// line is one connection of the callers.
type line struct {
	*callers
	conn net.Conn
	in   *bufio.Reader
}

func (c *callers) dial() *line {
	l := &line{callers: c, in: bufio.NewReaderSize(nil, 4<<10)}
	l.connect()
	return l
}

func (l *line) connect() bool {
	conn, err := net.DialTimeout("tcp", l.addr, l.timeout)
	if err != nil {
		return false
	}
	l.conn = conn
	l.in.Reset(conn)
	return true
}

func (l *line) hangUp() {
	if l.conn != nil {
		l.conn.Close()
		l.conn = nil
	}
}

// call sends a request that was due at a time, and takes the answer. Who gets none in
// time hangs up.
func (l *line) call(due time.Time) {
	if time.Since(due) > l.timeout || l.conn == nil && !l.connect() {
		l.late.Add(1)
		return
	}
	l.conn.SetDeadline(due.Add(l.timeout))
	status, overloaded, err := l.exchange(l.ask())
	switch {
	case err != nil && time.Since(due) >= l.timeout:
		l.late.Add(1)
	case err != nil:
		l.broken.Add(1)
	case overloaded:
		l.refused.Add(1)
	case status == 200, status == 409, status == 403:
		l.good.Add(1)
	default:
		l.other.Store(status, true)
	}
	if err != nil {
		l.hangUp()
	}
}

func (l *line) exchange(request []byte) (status int, overloaded bool, err error) {
	if _, err := l.conn.Write(request); err != nil {
		return 0, false, err
	}
	length, hangUp := 0, false
	for first := true; ; first = false {
		text, err := l.in.ReadSlice('\n')
		switch {
		case err != nil:
			return 0, false, err
		case first:
			if status, err = strconv.Atoi(string(text[9:12])); err != nil {
				return 0, false, err
			}
		case len(text) == 2:
			_, err := l.in.Discard(length)
			if err == nil && hangUp {
				l.hangUp()
			}
			return status, overloaded, err
		case bytes.HasPrefix(text, []byte("Retry-After: 1\r")):
			overloaded = status == 503
		case bytes.HasPrefix(text, []byte("Connection: close")):
			hangUp = true
		case bytes.HasPrefix(text, []byte("Content-Length: ")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(text[16:])))
		}
	}
}

// closed is how many a second are answered when each of n callers waits for its answer.
func (c *callers) closed(n int, d time.Duration) float64 {
	c.reset()
	end := time.Now().Add(d)
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			l := c.dial()
			defer l.hangUp()
			for now := time.Now(); now.Before(end); now = time.Now() {
				l.call(now)
			}
		})
	}
	wg.Wait()
	return float64(c.good.Load()) / d.Seconds()
}

// open is how many a second are answered in time when rate of them come, over n
// connections. Whoever comes while all are in use goes away.
func (c *callers) open(n int, rate float64, d time.Duration) float64 {
	c.reset()
	due := make(chan time.Time)
	var wg, dialled sync.WaitGroup
	for range n {
		dialled.Add(1)
		wg.Go(func() {
			l := c.dial()
			defer l.hangUp()
			dialled.Done()
			for at := range due {
				l.call(at)
			}
		})
	}
	dialled.Wait()
	began := time.Now()
	gap := time.Duration(float64(time.Second) / rate)
	for at := began; at.Sub(began) < d; time.Sleep(2 * time.Millisecond) {
		for now := time.Now(); at.Before(now); at = at.Add(gap) {
			select {
			case due <- at:
			default:
				c.late.Add(1) // there is no connection for it
			}
		}
	}
	close(due)
	wg.Wait()
	return float64(c.good.Load()) / d.Seconds()
}
