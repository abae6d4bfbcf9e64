package e2e

import (
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// TestHalfBodiesKeepNobodyOut holds more connections than a program may have
// open files, each in the middle of a request.
func TestHalfBodiesKeepNobodyOut(t *testing.T) {
	t.Parallel()
	few := []string{fewFiles}
	idp := testidp.New(t)
	s := start(t, few, "--issuer", idp.Issuer(), "--database", emptySQLite(t), "--sample-data")
	s.idp = idp
	provider := launch(t, few, "idp", "--addr", "127.0.0.1:0")
	issuer := provider.AwaitLog(t, idpListening)
	page := launch(t, few, "web", "--addr", "127.0.0.1:0")
	pageAddr := page.AwaitLog(t, regexp.MustCompile(`msg=listening addr=(\S+)`))
	const half = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na="
	token := s.as(t, curator).token
	for _, c := range []struct {
		listener, url, say string
		want               int // 0 for any: a client that was not built is not found
	}{
		{"the API, with a token", s.base + "/books", "POST " + basePath + "/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
			"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", 200},
		{"the API, without", s.base + "/books", "POST " + basePath + "/books" + half, 200},
		{"management", s.management + "/healthz", "GET /healthz" + half, 200},
		{"web", "http://" + pageAddr + "/", "POST /" + half, 0},
		{"idp", issuer + "/.well-known/openid-configuration", "POST " + strings.TrimPrefix(issuer, "http://"+hostPort(issuer)) + "/protocol/openid-connect/token" + half, 200},
	} {
		t.Run(c.listener, func(t *testing.T) {
			for range 300 {
				conn, err := net.Dial("tcp", strings.Replace(hostPort(c.url), "localhost", "127.0.0.1", 1))
				testkit.NoError(t, err)
				t.Cleanup(func() { conn.Close() })
				io.WriteString(conn, c.say)
			}
			mustAnswerSoon(t, c.url, token, c.want)
		})
	}
}

// TestTwoThousandWhoGoOnSendingKeepNobodyOut has callers who were refused and send a
// little of their bodies again and again, to a program that may open few files.
func TestTwoThousandWhoGoOnSendingKeepNobodyOut(t *testing.T) {
	idp := testidp.New(t)
	s := start(t, []string{fewFiles}, "--issuer", idp.Issuer(), "--database", emptySQLite(t), "--sample-data")
	s.idp = idp
	token := s.as(t, reader).token
	ctx, cancel := context.WithCancel(t.Context())
	var senders sync.WaitGroup
	defer senders.Wait()
	defer cancel()
	for range 2000 {
		conn := s.dial(t)
		io.WriteString(conn, "POST "+basePath+"/books HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n")
		senders.Go(func() { sendOn(ctx, conn) })
	}
	mustAnswerSoon(t, s.base+"/books", token, 200)
	peak := s.memory(t, "VmHWM")
	t.Logf("the program took up to %s", mib(peak))
	if peak > 128<<20 && !raceEnabled {
		t.Errorf("that is more than 128 MiB")
	}
	began := time.Now()
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(began); took > testkit.Bound(10*time.Second) {
		t.Errorf("to stop took %v", took)
	}
}

// sendOn sends something now and then, until the other side hangs up.
func sendOn(ctx context.Context, conn net.Conn) {
	for ctx.Err() == nil {
		if _, err := conn.Write([]byte("x")); err != nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func hostPort(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func mustAnswerSoon(t *testing.T, url, token string, want int) {
	t.Helper()
	for range 5 {
		req, err := http.NewRequest("GET", url, nil)
		testkit.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		client := http.Client{Timeout: testkit.Bound(8 * time.Second), Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Do(req)
		testkit.NoError(t, err)
		resp.Body.Close()
		if want != 0 && resp.StatusCode != want {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
}
