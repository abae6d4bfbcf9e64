package e2e

import (
	"bufio"
	"fmt"
	"net"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// slow is how many slow clients there are at once: more than any pool has room
// for.
var slow = scaled(100)

// mustServeOthers checks that a server answers everybody else as ever.
func mustServeOthers(t testing.TB, s *server) {
	t.Helper()
	quickly(t, "reading and writing beside slow clients", func() {
		reader, curator := s.as(t, reader), s.as(t, curator)
		for range 10 {
			reader.get("/books?limit=5").want(200)
			reader.get("/books/" + pride).want(200)
			reader.post("/books/"+pride+"/borrow", nil).want(200)
			reader.post("/books/"+pride+"/return", nil).want(200)
			curator.put("/books/"+pride, map[string]any{"title": "Pride and Prejudice"}).want(200)
		}
		if status, body := s.manage(t, "/readyz"); status != 200 {
			t.Errorf("/readyz: %d %s", status, body)
		}
	})
}

func TestSlowHeadersStopNobodyAndAreCutOff(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	var conns []rawConn
	for range slow {
		conn := s.dial(t)
		conn.say("GET " + basePath + "/books HTTP/1.1\r\nHost: x\r\nX-Slow: ")
		conns = append(conns, conn)
	}
	mustServeOthers(t, s)
	began := time.Now()
	testkit.Eventually(t, "a header that never ends is cut off", func() bool {
		_, err := conns[0].Write([]byte("a"))
		return err != nil
	})
	t.Logf("cut off after %v", time.Since(began))
}

func TestSlowBodiesStopNobody(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		var last rawConn
		var rest string
		for i := range slow {
			last, rest = s.beginPost(t, fmt.Sprint("Slow ", i))
		}
		mustServeOthers(t, s)
		last.say(rest)
		if status := last.status(); status != 201 {
			t.Errorf("a slow body is answered with %d", status)
		}
	})
}

func TestSlowReadersOfALongListStopNobody(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		addManyBooks(t, s, database, 2_000) // twice what the buffers of a connection hold
		token := s.as(t, reader).token
		for range slow {
			conn := s.dial(t)
			conn.Conn.(*net.TCPConn).SetReadBuffer(4 << 10)
			conn.say("GET " + basePath + "/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n")
			if line, err := bufio.NewReaderSize(conn, 16).ReadString(' '); err != nil || line != "HTTP/1.1 " {
				t.Fatalf("a slow reader is answered with %q, %v", line, err)
			}
		}
		mustServeOthers(t, s)
		t.Logf("%s at most resident with %d slow readers", mib(s.memory(t, "VmHWM")), slow)
	})
}
