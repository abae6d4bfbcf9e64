package httpapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/api"
	"example.org/library/internal/testkit"
)

// contentType is what a body is: a picture, or JSON.
func contentType(body string) string {
	if strings.HasPrefix(body, "\x89PNG") {
		return "image/png"
	}
	return "application/json"
}

// request is something that a test asks. The zero method is GET; a body is sent
// as JSON, or a picture, unless the header says otherwise.
type request struct {
	as     string // e-mail address of a sample user, "" for nobody
	token  string // instead of the sample user's
	method string
	path   string // under the base path, with the query
	body   string
	header http.Header
}

// reply is the answer to a request.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// send asks, and holds the answer against the contract.
func (w *world) send(t testing.TB, r request) reply {
	t.Helper()
	if r.method == "" {
		r.method = http.MethodGet
	}
	req, err := http.NewRequest(r.method, w.server.URL+w.base+r.path, strings.NewReader(r.body))
	testkit.NoError(t, err)
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.body != "" && req.Header["Content-Type"] == nil {
		req.Header.Set("Content-Type", contentType(r.body))
	}
	token := r.token
	if r.as != "" && token == "" {
		token = w.token(t, r.as)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return w.do(t, req)
}

func (w *world) do(t testing.TB, req *http.Request) reply {
	t.Helper()
	resp, err := w.server.Client().Transport.RoundTrip(req) // no redirects, no cookies
	testkit.NoError(t, err)
	return w.receive(t, req, req.URL.RequestURI(), resp)
}

// receive reads an answer and holds it against the contract.
func (w *world) receive(t testing.TB, req *http.Request, uri string, resp *http.Response) reply {
	t.Helper()
	defer resp.Body.Close()
	body, err := readBody(req, resp)
	testkit.NoError(t, err)
	a := reply{status: resp.StatusCode, header: resp.Header, body: body}
	w.checkContract(t, req, uri, a)
	return a
}

// readBody reads a body. Of one that has no end, the beginning is enough.
func readBody(req *http.Request, resp *http.Response) ([]byte, error) {
	if resp.Header.Get("Content-Type") != "text/event-stream" || req.Method == http.MethodHead {
		return io.ReadAll(resp.Body)
	}
	return bufio.NewReader(resp.Body).ReadBytes('\n')
}

// raw sends a request byte for byte, for what no client library would send.
// Lines are separated by "\n"; Host and Connection are added.
func (w *world) raw(t testing.TB, text string) reply {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	line, fields, _ := strings.Cut(head, "\n")
	conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
	testkit.NoError(t, err)
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(testkit.Timeout(t)))
	if fields != "" {
		fields = strings.ReplaceAll(fields, "\n", "\r\n") + "\r\n"
	}
	testkit.NoError(t, testkit.Err(io.WriteString(conn, line+"\r\nHost: library.test\r\nConnection: close\r\n"+fields+"\r\n"+body)))
	method, rest, _ := strings.Cut(line, " ")
	uri, _, _ := strings.Cut(rest, " ")
	uri = strings.TrimPrefix(uri, "http://library.test")
	req := &http.Request{Method: method, Header: http.Header{}}
	for field := range strings.SplitSeq(fields, "\r\n") {
		name, value, _ := strings.Cut(field, ": ")
		req.Header.Add(name, value)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	return w.receive(t, req, uri, resp)
}

// want fails the test unless the answer has the status, and the code if it is
// an error.
func (a reply) want(t testing.TB, status int, code string) reply {
	t.Helper()
	if a.status != status || a.code() != code {
		t.Fatalf("got %d %q, want %d %q; body %.300s", a.status, a.code(), status, code, a.body)
	}
	return a
}

func (a reply) error() api.Error {
	var e api.Error
	_ = json.Unmarshal(a.body, &e)
	return e
}

func (a reply) code() string { return a.error().Code }

// fields returns the fields that an error complains about.
func (a reply) fields() []string {
	var out []string
	for _, d := range a.error().Details {
		out = append(out, d.Field)
	}
	return out
}

func decode[T any](t testing.TB, a reply) T {
	t.Helper()
	var v T
	decoder := json.NewDecoder(bytes.NewReader(a.body))
	if err := decoder.Decode(&v); err != nil {
		t.Fatalf("status %d, body %.300s: %v", a.status, a.body, err)
	}
	return v
}

func (a reply) book(t testing.TB) api.Book    { t.Helper(); return decode[api.Book](t, a) }
func (a reply) books(t testing.TB) []api.Book { t.Helper(); return decode[[]api.Book](t, a) }
func (a reply) user(t testing.TB) api.User    { t.Helper(); return decode[api.User](t, a) }
func (a reply) users(t testing.TB) []api.User { t.Helper(); return decode[[]api.User](t, a) }
func (a reply) tag() string                   { return a.header.Get("Etag") }

func field(name, value string) http.Header {
	return http.Header{http.CanonicalHeaderKey(name): {value}}
}
