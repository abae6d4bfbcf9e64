package httpserver_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/httpserver"
	"example.org/library/internal/testkit"
)

// minutes are limits that no test reaches.
var minutes = httpserver.Limits{Header: time.Minute, Body: time.Minute, Write: time.Minute, Idle: time.Minute, Connections: 100}

// answer answers after it has read the body, if the path says so.
func answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/read" {
		if _, err := io.ReadAll(r.Body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
	}
	fmt.Fprint(w, r.Proto)
}

// serve serves until the end of the test and returns the address.
func serve(t *testing.T, cfg httpserver.Config) string {
	t.Helper()
	addr, _ := start(t, cfg)
	return addr
}

func start(t *testing.T, cfg httpserver.Config) (string, *httpserver.Server) {
	t.Helper()
	cfg.Log = slog.New(slog.DiscardHandler)
	if cfg.Handler == nil {
		cfg.Handler = http.HandlerFunc(answer)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.NoError(t, err)
	s, done := httpserver.New(cfg), make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if s.Shutdown(ctx) != nil {
			s.Close()
		}
		if err := <-done; err != http.ErrServerClosed {
			t.Errorf("the server ended with %v", err)
		}
	})
	return l.Addr().String(), s
}

// dial opens a connection and says something.
func dial(t *testing.T, addr, say string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	testkit.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(testkit.Timeout(t)))
	io.WriteString(c, say)
	return c
}

// response reads an answer and how the connection is then.
func response(t *testing.T, c net.Conn) (resp *http.Response, closed bool) {
	t.Helper()
	in := bufio.NewReader(c)
	resp, err := http.ReadResponse(in, nil)
	testkit.NoError(t, err)
	io.Copy(io.Discard, resp.Body)
	c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
	_, err = in.ReadByte()
	return resp, err == io.EOF
}

const half = " HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf"

func TestABodyThatDoesNotComeEndsAtItsDeadline(t *testing.T) {
	t.Parallel()
	limits := minutes
	limits.Body = 200 * time.Millisecond
	c := dial(t, serve(t, httpserver.Config{Limits: limits}), "POST /read"+half)
	if resp, closed := response(t, c); resp.StatusCode != 400 || !closed {
		t.Errorf("status %d, closed %t", resp.StatusCode, closed)
	}
}

func TestAnAnswerDoesNotWaitForTheRestOfABody(t *testing.T) {
	t.Parallel()
	addr := serve(t, httpserver.Config{Limits: minutes})
	for _, method := range []string{"GET", "POST", "PUT"} {
		began := time.Now()
		resp, closed := response(t, dial(t, addr, method+" /"+half))
		if resp.StatusCode != 200 || !closed || !resp.Close {
			t.Errorf("%s: status %d, closed %t, announced %t", method, resp.StatusCode, closed, resp.Close)
		}
		if took := time.Since(began); took > testkit.Bound(10*time.Second) {
			t.Errorf("%s took %v", method, took)
		}
	}
}

func TestAConnectionWhoseBodyWasReadStaysOpen(t *testing.T) {
	t.Parallel()
	addr := serve(t, httpserver.Config{Limits: minutes})
	for _, request := range []string{
		"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody",
		"POST /read HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		if resp, closed := response(t, dial(t, addr, request)); resp.StatusCode != 200 || closed || resp.Close {
			t.Errorf("%.40q: status %d, closed %t, announced %t", request, resp.StatusCode, closed, resp.Close)
		}
	}
}

// TestClientsWhoSayLittleKeepNobodyOut opens more connections than there may be.
func TestClientsWhoSayLittleKeepNobodyOut(t *testing.T) {
	t.Parallel()
	limits := minutes
	limits.Connections = 10
	for what, say := range map[string]string{
		"nothing":                     "",
		"half a header":               "GET / HTTP/1.1\r\nHost",
		"half a body":                 "POST /read" + half,
		"half a body, not read":       "POST /" + half,
		"a request, and nothing then": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, httpserver.Config{Limits: limits})
			for range 5 * limits.Connections {
				dial(t, addr, say)
			}
			mustAnswer(t, "http://"+addr, http.DefaultTransport.(*http.Transport).Clone(), "HTTP/1.1")
		})
		t.Run(what+", over TLS", func(t *testing.T) {
			t.Parallel()
			cert, trusting := newCertificate(t)
			addr := serve(t, httpserver.Config{Limits: limits, Certificate: cert, Refusal: func(int) []byte { return nil }})
			for i := range 5 * limits.Connections {
				c := dial(t, addr, "")
				if i%2 == 0 { // the others do not even shake hands
					secured := tls.Client(c, trusting.TLSClientConfig.Clone())
					go io.WriteString(secured, say)
				}
			}
			mustAnswer(t, "https://"+addr, trusting, "HTTP/2.0")
		})
	}
}

// TestANewConnectionWaitsForThoseBeingWorkedFor has every place taken by a request in work when one more comes.
func TestANewConnectionWaitsForThoseBeingWorkedFor(t *testing.T) {
	t.Parallel()
	limits := minutes
	limits.Connections = 5
	begun := make(chan struct{}, limits.Connections)
	addr := serve(t, httpserver.Config{Limits: limits, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/work" {
			begun <- struct{}{}
			time.Sleep(200 * time.Millisecond)
		}
		answer(w, r)
	})})
	for range limits.Connections {
		dial(t, addr, "GET /work HTTP/1.1\r\nHost: x\r\n\r\n")
		<-begun
	}
	mustAnswer(t, "http://"+addr, http.DefaultTransport.(*http.Transport).Clone(), "HTTP/1.1")
}

// mustAnswer makes requests on fresh connections.
func mustAnswer(t *testing.T, url string, transport *http.Transport, proto string) {
	t.Helper()
	for range 10 {
		client := http.Client{Transport: transport, Timeout: testkit.Timeout(t)}
		resp, err := client.Get(url)
		testkit.NoError(t, err)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if string(body) != proto {
			t.Errorf("status %d %s, want %s", resp.StatusCode, body, proto)
		}
		transport.CloseIdleConnections()
	}
}

func newCertificate(t *testing.T) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), *http.Transport) {
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	t.Cleanup(s.Close)
	transport := s.Client().Transport.(*http.Transport).Clone()
	transport.ForceAttemptHTTP2 = true
	return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &s.TLS.Certificates[0], nil }, transport
}

func TestStreamsOfHTTP2ThatSayLittleKeepNobodyOut(t *testing.T) {
	t.Parallel()
	limits := minutes
	limits.Connections = 5
	cert, trusting := newCertificate(t)
	for what, path := range map[string]string{"a body that is read": "/read", "a body that is dropped": "/"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, httpserver.Config{Limits: limits, Certificate: cert})
			for range 4 * limits.Connections {
				body, rest := io.Pipe()
				transport := trusting.Clone()
				go transport.RoundTrip(must(http.NewRequest("POST", "https://"+addr+path, body)))
				t.Cleanup(func() { rest.Close(); transport.CloseIdleConnections() })
				testkit.NoError(t, testkit.Err(rest.Write([]byte("half"))))
			}
			mustAnswer(t, "https://"+addr, trusting.Clone(), "HTTP/2.0")
		})
	}
}

func must(r *http.Request, err error) *http.Request {
	if err != nil {
		panic(err)
	}
	return r
}

// TestRequestsThatAreBeingWorkedForAreNotCutOff fills a server with them.
func TestRequestsThatAreBeingWorkedForAreNotCutOff(t *testing.T) {
	t.Parallel()
	limits := minutes
	limits.Connections = 5
	begun, finish := make(chan bool), make(chan bool)
	addr := serve(t, httpserver.Config{Limits: limits, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- true
		<-finish
		fmt.Fprint(w, "done")
	})})
	var all []net.Conn
	for range limits.Connections {
		all = append(all, dial(t, addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
		<-begun
	}
	refused := dial(t, addr, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	if n, err := refused.Read(make([]byte, 1)); err == nil {
		t.Errorf("a server without room answers with %d bytes", n)
	}
	close(finish)
	for _, c := range all {
		if resp, _ := response(t, c); resp.StatusCode != 200 {
			t.Errorf("status %d", resp.StatusCode)
		}
	}
}

func TestRefusalsOfNetHTTPAreReplaced(t *testing.T) {
	t.Parallel()
	cert, trusting := newCertificate(t)
	refusal := func(status int) []byte {
		return fmt.Appendf(nil, "HTTP/1.1 %d Ours\r\nX-Ours: yes\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status)
	}
	plain := serve(t, httpserver.Config{Limits: minutes, Refusal: refusal})
	secure := serve(t, httpserver.Config{Limits: minutes, Refusal: refusal, Certificate: cert})
	for sent, status := range map[string]int{
		"nonsense\r\n\r\n":                                                400,
		"GET /%zz HTTP/1.1\r\nHost: x":                                    400,
		"GET / HTTP/1.1\r\nHost: x\r\nExpect: 200-ok":                     417,
		"GET / HTTP/1.0\r\nExpect: 200-ok":                                417,
		"GET / HTTP/1.1\r\nHost: x\r\nX: " + strings.Repeat("x", 256<<10): 431,
		"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: zip":             501,
		"GET / HTTP/3.0\r\nHost: x":                                       505,
	} {
		unencrypted, encrypted := dial(t, plain, ""), tls.Client(dial(t, secure, ""), &tls.Config{RootCAs: trusting.TLSClientConfig.RootCAs, ServerName: "127.0.0.1"})
		for what, c := range map[string]net.Conn{"plain": unencrypted, "TLS": encrypted} {
			go io.WriteString(c, sent+"\r\n\r\n")
			resp, err := http.ReadResponse(bufio.NewReader(c), nil)
			if err != nil {
				t.Errorf("%s %.40q: %v", what, sent, err)
				continue
			}
			if resp.StatusCode != status || resp.Header.Get("X-Ours") == "" {
				t.Errorf("%s %.40q: %d %v, want %d", what, sent, resp.StatusCode, resp.Header, status)
			}
		}
	}
	resp, err := http.Get("http://" + secure)
	testkit.NoError(t, err)
	resp.Body.Close()
	if resp.StatusCode != 400 || resp.Header.Get("X-Ours") == "" {
		t.Errorf("plain HTTP to a server that speaks TLS: %d %v", resp.StatusCode, resp.Header)
	}
}

func TestAProofIsOverWithItsHandshake(t *testing.T) {
	t.Parallel()
	cert, _ := newCertificate(t)
	addr := serve(t, httpserver.Config{Limits: minutes, Certificate: cert, Proof: "acme-tls/1"})
	conn, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"acme-tls/1"}})
	testkit.NoError(t, err)
	defer conn.Close()
	if got := conn.ConnectionState().NegotiatedProtocol; got != "acme-tls/1" {
		t.Errorf("they speak %q", got)
	}
	conn.SetDeadline(time.Now().Add(testkit.Timeout(t)))
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%d bytes came, %v", n, err)
	}
}
