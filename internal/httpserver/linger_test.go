package httpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/internal/httpserver"
	"example.org/library/internal/testkit"
)

// large is more than the buffers of a connection hold.
const large = 8 << 20

// unfinished are requests that are answered while most of them is still to come.
var unfinished = map[string]struct {
	head   string
	status int
}{
	"a body with a length":    {fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", large), 200},
	"a body in pieces":        {fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n", large), 200},
	"a body that is read":     {fmt.Sprintf("POST /part HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", large), 413},
	"a body in a strange way": {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip\r\n\r\n", 501},
	"a strange expectation":   {fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\nContent-Length: %d\r\n\r\n", large), 417},
	"a header":                {"POST / HTTP/1.1\r\nHost: x\r\nX: ", 431},
	"no request":              {"nonsense\r\n\r\n", 400},
}

// answerPart reads a part of the body, if the path says so.
func answerPart(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/part" {
		io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		w.WriteHeader(413)
		return
	}
	answer(w, r)
}

// TestWhoReadsOnlyWhenAllIsSentGetsTheAnswer does so often: it was a matter of luck.
func TestWhoReadsOnlyWhenAllIsSentGetsTheAnswer(t *testing.T) {
	t.Parallel()
	cert, trusting := newCertificate(t)
	ours := func(status int) []byte {
		return fmt.Appendf(nil, "HTTP/1.1 %d Ours\r\nContent-Length: 0\r\n\r\n", status)
	}
	for name, refusal := range map[string]func(int) []byte{"our refusals": ours, "refusals of net/http": nil} {
		plain := serve(t, httpserver.Config{Limits: minutes, Refusal: refusal, Handler: http.HandlerFunc(answerPart)})
		secure := serve(t, httpserver.Config{Limits: minutes, Refusal: refusal, Handler: http.HandlerFunc(answerPart), Certificate: cert})
		for what, r := range unfinished {
			for transport, c := range map[string]func() net.Conn{
				"plain": func() net.Conn { return dial(t, plain, "") },
				"TLS":   func() net.Conn { return tls.Client(dial(t, secure, ""), trusted(trusting)) },
			} {
				t.Run(name+", "+transport+", "+what, func(t *testing.T) {
					t.Parallel()
					for range 3 {
						wantHeard(t, c, r.head, r.status)
					}
				})
			}
		}
		if refusal != nil {
			t.Run("plain HTTP to a server that speaks TLS", func(t *testing.T) {
				t.Parallel()
				wantHeard(t, func() net.Conn { return dial(t, secure, "") }, unfinished["a body with a length"].head, 400)
			})
		}
	}
}

func trusted(t *http.Transport) *tls.Config {
	return &tls.Config{RootCAs: t.TLSClientConfig.RootCAs, ServerName: "127.0.0.1"}
}

// wantHeard fails if a caller does not get the answer. Nobody promises that a busy machine reads all of a body within the
// time for dropping it, so there it has some tries.
func wantHeard(t *testing.T, dial func() net.Conn, head string, status int) {
	t.Helper()
	err := heard(dial(), head, status)
	for tries := 1; err != nil && tries < 5 && testkit.Busy(); tries++ {
		err = heard(dial(), head, status)
	}
	testkit.NoError(t, err)
}

// heard sends all of a body before it reads the answer.
func heard(c net.Conn, head string, status int) error {
	defer c.Close()
	if _, err := io.WriteString(c, head); err != nil {
		return err
	}
	time.Sleep(10 * time.Millisecond) // the answer is there before the body is
	if _, err := io.Copy(c, io.LimitReader(endless{}, large)); err != nil {
		return fmt.Errorf("while the body is sent: %w", err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return fmt.Errorf("when it is sent: %w", err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != status {
		return fmt.Errorf("status %d, %v", resp.StatusCode, err)
	}
	return nil
}

// endless is a body that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// TestWhatIsDroppedIsNoRequest hides a request in a body that nobody reads, and puts one behind it.
func TestWhatIsDroppedIsNoRequest(t *testing.T) {
	t.Parallel()
	var seen atomic.Int64
	addr := serve(t, httpserver.Config{Limits: minutes, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Add(1)
		answerPart(w, r)
	})})
	const hidden = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n"
	for what, say := range map[string]string{
		"a length":     "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n" + hidden,
		"all of it":    fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s%s", len(hidden), hidden, hidden),
		"pieces":       fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n%s", len(hidden), hidden, hidden),
		"bad pieces":   "POST /part HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + hidden,
		"too much":     fmt.Sprintf("POST /part HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", large, strings.Repeat(hidden, large/len(hidden)+2)),
		"may it come?": fmt.Sprintf("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n%s", len(hidden), hidden),
		"no request":   "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip\r\n\r\n" + hidden,
	} {
		before := seen.Load()
		c := dial(t, addr, "")
		if _, err := io.WriteString(c, say); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		c.(*net.TCPConn).CloseWrite()
		answers, err := io.ReadAll(c)
		if n := bytes.Count(answers, []byte("HTTP/1.1 ")); err != nil || n != 1 || seen.Load() > before+1 {
			t.Errorf("%s: %d answers, %d requests, %v", what, n, seen.Load()-before, err)
		}
	}
}

// TestWhoNeverStopsSendingIsCutOff has one who goes on for ever.
func TestWhoNeverStopsSendingIsCutOff(t *testing.T) {
	t.Parallel()
	addr := serve(t, httpserver.Config{Limits: minutes})
	for what, pause := range map[string]time.Duration{"slowly": 100 * time.Millisecond, "as fast as can be": 0} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := dial(t, addr, unfinished["a body with a length"].head)
			began, piece := time.Now(), make([]byte, 100)
			for time.Since(began) < testkit.Timeout(t) {
				if _, err := c.Write(piece); err != nil {
					break
				}
				time.Sleep(pause)
			}
			if took := time.Since(began); took < 4*time.Second || took > testkit.Bound(10*time.Second) {
				t.Errorf("it was listened to for %v", took)
			}
		})
	}
}

// TestWhoNeverStopsSendingKeepsNobodyOut has more of them than there is room for.
func TestWhoNeverStopsSendingKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	limits := minutes
	limits.Connections = 10
	cert, trusting := newCertificate(t)
	for scheme, certificate := range map[string]func(*tls.ClientHelloInfo) (*tls.Certificate, error){"http": nil, "https": cert} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, httpserver.Config{Limits: limits, Certificate: certificate})
			for range 5 * limits.Connections {
				c := dial(t, addr, "")
				if certificate != nil {
					c = tls.Client(c, trusted(trusting))
				}
				go func() {
					io.WriteString(c, unfinished["a body with a length"].head)
					for range 1000 {
						if _, err := c.Write([]byte("x")); err != nil {
							return
						}
						time.Sleep(10 * time.Millisecond)
					}
				}()
			}
			client := http.Client{Timeout: testkit.Timeout(t), Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trusted(trusting)}}
			for range 10 {
				resp, err := client.Get(scheme + "://" + addr)
				testkit.NoError(t, err)
				resp.Body.Close()
			}
		})
	}
}

func TestAServerStopsInSpiteOfThoseWhoAreStillSending(t *testing.T) {
	t.Parallel()
	for what, stop := range map[string]func(*httpserver.Server) error{
		"shut down": func(s *httpserver.Server) error {
			ctx, cancel := context.WithTimeout(context.Background(), testkit.Bound(10*time.Second))
			defer cancel()
			return s.Shutdown(ctx)
		},
		"closed": func(s *httpserver.Server) error {
			began := time.Now()
			defer func() {
				if took := time.Since(began); took > testkit.Bound(3*time.Second) {
					t.Errorf("to close the server took %v", took)
				}
			}()
			return s.Close()
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			addr, s := start(t, httpserver.Config{Limits: minutes})
			for range 5 {
				c := dial(t, addr, unfinished["a body with a length"].head)
				go io.Copy(c, endless{})
				if resp, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || resp.StatusCode != 200 {
					t.Fatal(err)
				}
			}
			if err := stop(s); err != nil {
				t.Error(err)
			}
		})
	}
}
