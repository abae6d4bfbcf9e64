package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// listOn asks for the whole list on a connection with a small buffer.
func (l *library) listOn(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", l.servers[0].addr)
	testkit.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	conn.(*net.TCPConn).SetReadBuffer(32 << 10)
	fmt.Fprintf(conn, "GET %s/books HTTP/1.1\r\nHost: library\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n", basePath, l.readers[0].token)
	return conn
}

// TestASteadyReaderFinishesAndOneWhoDoesNotReadIsCut reads a list of some
// megabytes at 8 KB a second for longer than any answer may stand still, then the
// rest. Beside it somebody asks for the same and does not read.
func TestASteadyReaderFinishesAndOneWhoDoesNotReadIsCut(t *testing.T) {
	t.Parallel()
	l := open(t, emptySQLite(t), 1)
	l.fill(t, "word ")
	idle := l.listOn(t)
	steady := l.listOn(t)
	began := time.Now()
	const rate, long = 8 << 10, 55 * time.Second
	r := &paced{conn: steady, perSecond: rate, began: began, until: began.Add(long)}
	resp, err := http.ReadResponse(bufio.NewReaderSize(r, 4<<10), nil)
	testkit.NoError(t, err)
	n, err := io.Copy(io.Discard, resp.Body)
	t.Logf("the steady reader got %d KB in %v, %d KB of it at 8 KB/s", n>>10, time.Since(began).Round(time.Millisecond), r.slowly>>10)
	if err != nil || resp.StatusCode != http.StatusOK || n < listLength*description {
		t.Errorf("the steady reader: %d, %d bytes, %v", resp.StatusCode, n, err)
	}
	if time.Since(began) < long || r.slowly < rate*40 {
		t.Errorf("the list is too short for this test")
	}
	idle.SetReadDeadline(time.Now().Add(20 * time.Second))
	got, err := io.Copy(io.Discard, idle)
	t.Logf("who did not read got %d KB: %v", got>>10, err)
	if got >= listLength*description {
		t.Error("who did not read for a minute got the whole list all the same")
	}
	c := l.gather(t)
	time.Sleep(pause)
	h := c.end()
	h.verify(t)
	h.wantNoneFailed(t)
}

// paced reads at a rate in bytes a second, until a time.
type paced struct {
	conn      net.Conn
	perSecond int
	began     time.Time
	until     time.Time
	slowly    int64 // bytes that were read at this pace
}

func (p *paced) Read(b []byte) (int, error) {
	p.conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if time.Now().After(p.until) {
		return p.conn.Read(b)
	}
	n, err := p.conn.Read(b[:min(len(b), p.perSecond/10)])
	p.slowly += int64(n)
	time.Sleep(time.Until(p.began.Add(time.Duration(p.slowly) * time.Second / time.Duration(p.perSecond))))
	return n, err
}
