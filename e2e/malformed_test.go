package e2e

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// noRequests is what net/http refuses before any handler sees it.
var noRequests = map[string]int{
	"GET /library-server/books/%zz HTTP/1.1\r\nHost: x\r\n\r\n":            400,
	"GET /library-server/books HTTP/1.1\r\n\r\n":                           400,
	"GET /library-server/books HTTP/1.1\r\nHost: x\r\nBad Name: x\r\n\r\n": 400,
	"nonsense\r\n\r\n": 400,
	"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n":      400,
	"GET /library-server/books HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n\r\n":           417,
	"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 256<<10) + "\r\n\r\n":      431,
	"POST /library-server/books HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n": 501,
	"GET /library-server/books HTTP/9.9\r\nHost: x\r\n\r\n":                             505,
}

func TestBytesThatAreNoRequestGetOurErrorBody(t *testing.T) {
	t.Parallel()
	t.Run("plain", func(t *testing.T) {
		t.Parallel()
		s := startOn(t, emptySQLite(t))
		for sent, status := range noRequests {
			wantOurBody(t, s.dial(t).Conn, sent, status, "")
		}
	})
	t.Run("TLS", func(t *testing.T) {
		t.Parallel()
		certFile, keyFile, roots := newCertificate(t)
		s := startOn(t, emptySQLite(t), "--tls-cert", certFile, "--tls-key", keyFile)
		addr := strings.TrimPrefix(s.root, "https://")
		for sent, status := range noRequests {
			conn, err := tls.Dial("tcp", addr, &tls.Config{RootCAs: roots})
			testkit.NoError(t, err)
			wantOurBody(t, conn, sent, status, "max-age=31536000")
		}
		conn, err := net.Dial("tcp", addr)
		testkit.NoError(t, err)
		wantOurBody(t, conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "max-age=31536000") // plain HTTP
	})
}

func wantOurBody(t *testing.T, conn net.Conn, sent string, status int, security string) {
	t.Helper()
	resp, body := exchangeRaw(t, conn, sent)
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
		"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Request-Id": e.RequestID, "Strict-Transport-Security": security} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%.40q: %s is %q, want %q", sent, name, got, want)
		}
	}
}

func exchangeRaw(t *testing.T, conn net.Conn, sent string) (*http.Response, []byte) {
	t.Helper()
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(testkit.Timeout(t)))
	go io.WriteString(conn, sent) // it may be refused before it is all sent
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%.40q: %v", sent, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp, body
}
