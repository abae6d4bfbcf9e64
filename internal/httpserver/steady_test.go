package httpserver_test

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/httpserver"
	"example.org/library/internal/testkit"
)

// TestWhoReadsSlowlyButSteadilyIsSeenToRead writes more than all buffers hold to a client that takes 8 KB a second.
// Each write must end long before it could be taken for one to a client that does not read, who has 30 seconds.
func TestWhoReadsSlowlyButSteadilyIsSeenToRead(t *testing.T) {
	t.Parallel()
	const perSecond, chunk, most = 8 << 10, 32 << 10, 18 * time.Second
	var written atomic.Int64
	addr := serve(t, httpserver.Config{Limits: minutes, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			if _, err := w.Write(make([]byte, chunk)); err != nil {
				return
			}
			written.Add(chunk)
		}
	})})
	c := dial(t, addr, "")
	c.(*net.TCPConn).SetReadBuffer(32 << 10)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	began, before, stalled := time.Now(), int64(-1), time.Duration(0)
	for since := began; time.Since(began) < 2*most; {
		c.SetReadDeadline(time.Now().Add(testkit.Timeout(t)))
		testkit.NoError(t, testkit.Err(io.ReadFull(c, make([]byte, perSecond/8))))
		time.Sleep(time.Second / 8)
		if n := written.Load(); n != before {
			if before >= 0 && time.Since(since) > 2*time.Second {
				t.Logf("the writer went on after %v, with %d KB written", time.Since(since).Round(time.Second), n>>10)
				return // it was blocked, and then seen to be read
			}
			before, since = n, time.Now()
		}
		if stalled = time.Since(since); stalled > most {
			break
		}
	}
	t.Errorf("with %d KB written, nothing more could be for %v", written.Load()>>10, stalled)
}
