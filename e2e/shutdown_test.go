package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

const (
	terminate = syscall.SIGTERM
	interrupt = syscall.SIGINT
)

// rawConn is a connection on which a test speaks HTTP by hand.
type rawConn struct {
	net.Conn
	t testing.TB
}

func (s *server) dial(t testing.TB) rawConn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.root, "http://"))
	testkit.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return rawConn{conn, t}
}

func (c rawConn) say(text string) {
	c.t.Helper()
	testkit.NoError(c.t, testkit.Err(c.Write([]byte(text))))
}

func (c rawConn) status() int {
	c.t.Helper()
	c.SetReadDeadline(time.Now().Add(testkit.Timeout(c.t)))
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	testkit.NoError(c.t, err)
	resp.Body.Close()
	return resp.StatusCode
}

// beginPost sends all of a request that adds a book but the end of its body,
// and returns that. Its handler reads by then: a server says 100 Continue when it begins to.
func (s *server) beginPost(t testing.TB, title string) (rawConn, string) {
	t.Helper()
	body := `{"title":"` + title + `"}`
	conn := s.dial(t)
	conn.say(fmt.Sprintf("POST %s/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s",
		basePath, s.as(t, curator).token, len(body), body[:5]))
	const reads = "HTTP/1.1 100 Continue\r\n\r\n"
	interim := make([]byte, len(reads))
	conn.SetReadDeadline(time.Now().Add(testkit.Timeout(t)))
	if _, err := io.ReadFull(conn, interim); err != nil || string(interim) != reads {
		t.Fatalf("instead of reading the body it says %q, %v", interim, err)
	}
	return conn, body[5:]
}

func TestRequestInFlightIsFinishedWhenTheServerIsStopped(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"SIGTERM": terminate, "SIGINT": interrupt} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, database string) {
				s := startOn(t, database)
				s.as(t, reader).get("/books").want(200) // leaves an idle connection behind
				inFlight, rest := s.beginPost(t, "In flight")
				testkit.NoError(t, s.Cmd.Process.Signal(signal))
				testkit.Eventually(t, "new connections are refused", func() bool {
					conn, err := net.Dial("tcp", inFlight.RemoteAddr().String())
					if err == nil {
						conn.Close()
					}
					return err != nil
				})
				inFlight.say(rest)
				if status := inFlight.status(); status != 201 {
					t.Errorf("the request in flight: status %d, want 201", status)
				}
				if code := s.awaitExit(t); code != 0 {
					t.Errorf("exit code %d, want 0", code)
				}
				if n := count(t, database, `SELECT count(*) FROM books WHERE title = 'In flight'`); n != 1 {
					t.Errorf("the book is there %d times", n)
				}
			})
		})
	}
}

// TestRequestsAreServedForAWhileAfterSIGTERM is what a proxy sees that asks
// /readyz now and then.
func TestRequestsAreServedForAWhileAfterSIGTERM(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t), "--drain", "8s")
	s.awaitReady(t)
	stream := s.as(t, reader).listen("")
	stream.want("ready", "", false)
	s.signal(t, terminate)
	testkit.Eventually(t, "/readyz says that it stops", func() bool {
		status, body := s.manage(t, "/readyz")
		return status == 503 && body == "stopping\n"
	})
	if status, _ := s.manage(t, "/healthz"); status != 200 {
		t.Errorf("/healthz: %d", status)
	}
	// Still connections, changes, and events of them.
	added := s.as(t, curator).post("/books", map[string]any{"title": "At the last moment"}).want(201)
	if !added.IsLast {
		t.Error("the answer does not say that the connection is to be closed")
	}
	stream.want("added", into[book](added).Identifier, false)
	s.as(t, reader2).listen("").want("ready", "", false)
	if code := s.awaitExit(t); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	stream.WantEnd()
}

func TestWhoDoesNotWantToWaitSkipsTheDrain(t *testing.T) {
	t.Parallel()
	for name, signals := range map[string][]syscall.Signal{
		"SIGINT": {interrupt}, "a second SIGTERM": {terminate, terminate}, "SIGINT after SIGTERM": {terminate, interrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startOn(t, emptySQLite(t), "--drain", "5m")
			for i, sig := range signals {
				if i > 0 {
					s.AwaitLog(t, regexp.MustCompile(`stopping drain=5m`))
				}
				s.signal(t, sig)
			}
			if code := s.awaitExit(t); code != 0 {
				t.Errorf("exit code %d, want 0", code)
			}
			if said := strings.Contains(s.Log.String(), "a second signal"); said != (len(signals) > 1) {
				t.Errorf("the log says that there was a second signal: %t", said)
			}
		})
	}
}

func TestRequestThatNeverEndsDoesNotKeepTheServerFromStopping(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	s.beginPost(t, "Never to be")
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if !strings.Contains(s.Log.String(), "cut off") {
		t.Error("the log does not say that a request was cut off")
	}
}
