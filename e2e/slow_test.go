package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
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
	for ; time.Since(began) < patience; time.Sleep(500 * time.Millisecond) {
		if _, err := conns[0].Write([]byte("a")); err != nil {
			t.Logf("cut off after %v", time.Since(began))
			return
		}
	}
	t.Errorf("a header may take longer than %v", patience)
}

func TestSlowBodiesStopNobody(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		var last rawConn
		var rest string
		for i := range slow {
			last, rest = s.beginPost(t, fmt.Sprint("Slow ", i))
		}
		time.Sleep(100 * time.Millisecond) // until the handlers read
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
		addManyBooks(t, s, database, 5_000)
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

func TestLimits(t *testing.T) {
	t.Parallel()
	s := startOn(t, emptySQLite(t))
	c := s.as(t, curator)
	t.Run("a header that is too large → 431", func(t *testing.T) {
		conn := s.dial(t)
		go io.WriteString(conn, "GET "+basePath+"/books HTTP/1.1\r\nHost: x\r\nX-Large: "+strings.Repeat("a", 1<<20)+"\r\n\r\n")
		if status := conn.status(); status != 431 {
			t.Errorf("status %d", status)
		}
	})
	t.Run("a token over 16 KiB → 401 malformed, before it is looked at", func(t *testing.T) {
		s.with(t, strings.Repeat("a", 16<<10+1)).get("/books").want(401).wantCode("malformed_token")
		s.with(t, strings.Repeat("a", 100<<10)).get("/books").want(401).wantCode("malformed_token")
	})
	t.Run("a body over 1 MiB → 413, announced or not", func(t *testing.T) {
		large := `{"title":"x","description":"` + strings.Repeat("a", 1<<20) + `"}`
		c.post("/books", large).want(413)
		req, err := http.NewRequest("POST", s.base+"/books", struct{ io.Reader }{strings.NewReader(large)})
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+c.token)
		req.Header.Set("Content-Type", "application/json")
		r, err := s.send(t, req)
		if err != nil {
			t.Fatal(err)
		}
		r.want(413)
	})
	t.Run("a body that never ends is not read by a refusal", func(t *testing.T) {
		conn := s.dial(t)
		conn.say("POST " + basePath + "/books HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000000000\r\n\r\n{")
		quickly(t, "a refusal", func() {
			if status := conn.status(); status != 401 {
				t.Errorf("status %d", status)
			}
		})
	})
	t.Run("a body of just 1 MiB is read", func(t *testing.T) {
		padded := `{"title":"Padded"` + strings.Repeat(" ", 1<<20-len(`{"title":"Padded"}`)) + `}`
		c.post("/books", padded).want(201)
	})
	t.Run("deeply nested JSON is harmless", func(t *testing.T) {
		c.post("/books", `{"title":"Deep","x":`+strings.Repeat("[", 400_000)+strings.Repeat("]", 400_000)+`}`).want(400)
		c.get("/books").want(200)
	})
	t.Run("paths with two readings → 400, never a redirect", func(t *testing.T) {
		for _, path := range []string{"//books", "/books/../users", "/books%2f" + cleanCode, "/books/%00", "/books;v=1", "/books/%2e%2e/users"} {
			conn := s.dial(t)
			conn.say("GET " + basePath + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			if status := conn.status(); status != 400 {
				t.Errorf("%s: status %d", path, status)
			}
		}
	})
}
