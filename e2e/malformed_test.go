package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBytesThatAreNoRequestGetOurErrorBody sends what net/http refuses before any
// handler sees it.
func TestBytesThatAreNoRequestGetOurErrorBody(t *testing.T) {
	t.Parallel()
	s := startOn(t, "sqlite:"+filepath.Join(t.TempDir(), "library.db"))
	for sent, status := range map[string]int{
		"GET /library-server/books/%zz HTTP/1.1\r\nHost: x\r\n\r\n":            400,
		"GET /library-server/books HTTP/1.1\r\n\r\n":                           400,
		"GET /library-server/books HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n": 400,
		"nonsense\r\n\r\n": 400,
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 256<<10) + "\r\n\r\n": 431,
		"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n": 400,
	} {
		resp, body := exchangeRaw(t, strings.TrimPrefix(s.root, "http://"), sent)
		var e struct {
			Timestamp, Error, Message, Code, RequestID string
			Status                                     int
			Path                                       *string
		}
		if err := json.Unmarshal(body, &e); err != nil {
			t.Errorf("%.40q: %v in %s", sent, err, body)
		}
		if resp.StatusCode != status || e.Status != status || e.Code != "malformed_request" || e.Path == nil || e.Message == "" {
			t.Errorf("%.40q: %d %s, want %d", sent, resp.StatusCode, body, status)
		}
		for name, want := range map[string]string{"Content-Type": "application/json", "X-Content-Type-Options": "nosniff",
			"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Request-Id": e.RequestID} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%.40q: %s is %q, want %q", sent, name, got, want)
			}
		}
	}
}

func exchangeRaw(t *testing.T, addr, sent string) (*http.Response, []byte) {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	go io.WriteString(conn, sent) // it may be refused before it is all sent
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.40q: %v", sent, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, body
}
