package httpserver_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"example.org/library/internal/httpserver"
	"example.org/library/internal/testkit"
)

func TestAServerThatDrainsAnswersOnEveryConnectionOnce(t *testing.T) {
	t.Parallel()
	addr, s := start(t, httpserver.Config{Limits: minutes})
	requests := map[string]string{
		"no body":      "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
		"a body":       "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
		"a body apart": "POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
	}
	idle := map[string]net.Conn{}
	for what := range requests {
		idle[what] = dial(t, addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if resp, closed := response(t, idle[what]); resp.StatusCode != 200 || closed || resp.Close {
			t.Fatalf("before: status %d, closed %t, announced %t", resp.StatusCode, closed, resp.Close)
		}
	}
	s.Drain()
	time.Sleep(100 * time.Millisecond) // an idle connection would be closed by now
	for what, text := range requests {
		io.WriteString(idle[what], text)
		for on, c := range map[string]net.Conn{"an idle connection": idle[what], "a new connection": dial(t, addr, text)} {
			c.SetReadDeadline(time.Now().Add(testkit.Timeout(t)))
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Fatalf("%s on %s: %v", what, on, err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != 200 || !resp.Close {
				t.Errorf("%s on %s: status %d, announced %t, %v", what, on, resp.StatusCode, resp.Close, err)
			}
			if n, err := c.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("%s on %s: the connection is not closed: %d, %v", what, on, n, err)
			}
		}
	}
}

// TestAServerThatDrainsSendsHTTP2Elsewhere knows it by the client, which opens a new connection after a GOAWAY.
func TestAServerThatDrainsSendsHTTP2Elsewhere(t *testing.T) {
	t.Parallel()
	cert, trusting := newCertificate(t)
	addr, s := start(t, httpserver.Config{Limits: minutes, Certificate: cert})
	reused := false
	trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }}
	get := func() {
		t.Helper()
		r := must(http.NewRequest("GET", "https://"+addr, nil))
		resp, err := trusting.RoundTrip(r.WithContext(httptrace.WithClientTrace(t.Context(), trace)))
		testkit.NoError(t, err)
		if body, _ := io.ReadAll(resp.Body); string(body) != "HTTP/2.0" {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
		resp.Body.Close()
	}
	get()
	if get(); !reused {
		t.Fatal("the connection is not used again before")
	}
	s.Drain()
	get() // and with it comes the word
	testkit.Eventually(t, "a request goes on a new connection", func() bool {
		get()
		return !reused
	})
}
