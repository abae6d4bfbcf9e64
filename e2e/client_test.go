package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// caller is somebody with a token.
type caller struct{ email, scope string }

// The samples.
var (
	reader  = caller{"bruce.wayne@example.com", "library_user email profile"}
	reader2 = caller{"bruce.banner@example.com", "library_user email profile"}
	curator = caller{"peter.parker@example.com", "library_curator email profile"}
	admin   = caller{"clark.kent@example.com", "library_admin email profile"}
)

const (
	cleanCode   = "f9bf70d6-e56d-4cab-be6b-294cd05f599f" // a sample book
	pride       = "91f0e2d3-c4b5-4a69-8877-665544332211" // another
	bruceWayne  = "c47641ee-e63c-4c13-8cd2-1c2490aee0b3" // reader
	sampleBooks = 10
	sampleUsers = 5
)

// The wire, as its users see it.
type (
	person struct{ Identifier, FirstName, LastName string }
	book   struct {
		Identifier, ISBN, Title, Description string
		Authors                              []string
		Borrowed                             *bool
		BorrowedBy                           *person
	}
	user struct {
		Identifier, Email, FirstName, LastName string
		Roles                                  []string
	}
	failure struct {
		Timestamp, Error, Message, Path, Code, RequestID string
		Status                                           int
	}
)

// newClient follows no redirect, keeps no cookie and trusts any certificate.
func newClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			MaxIdleConnsPerHost: 256,
			TLSClientConfig:     &tls.Config{InsecureSkipVerify: true},
			ForceAttemptHTTP2:   true,
		},
	}
}

// session is a caller at a server.
type session struct {
	t     testing.TB
	s     *server
	token string // "" for none
}

// as is a session with a fresh token.
func (s *server) as(t testing.TB, c caller) session {
	t.Helper()
	return session{t, s, s.idp.Mint(t, testidp.Claims{"email": c.email, "scope": c.scope}, testidp.ES256())}
}

// with is a session with that token.
func (s *server) with(t testing.TB, token string) session { return session{t, s, token} }

func (c session) get(path string, more ...string) response { return c.call("GET", path, nil, more...) }

func (c session) post(path string, body any, more ...string) response {
	return c.call("POST", path, body, more...)
}

func (c session) put(path string, body any, more ...string) response {
	return c.call("PUT", path, body, more...)
}

func (c session) delete(path string) response { return c.call("DELETE", path, nil) }

// call sends a request to a path under the base path. A body is JSON, or sent
// as it is if it is text. More are header fields: name, value, name, value.
func (c session) call(method, path string, body any, more ...string) response {
	c.t.Helper()
	r, err := c.try(method, path, body, more...)
	testkit.NoError(c.t, err)
	return r
}

// try is call for other goroutines than the test's.
func (c session) try(method, path string, body any, more ...string) (response, error) {
	c.t.Helper()
	text, isText := body.(string)
	if body != nil && !isText {
		b, err := json.Marshal(body)
		if err != nil {
			return response{}, err
		}
		text = string(b)
	}
	req, err := http.NewRequest(method, c.s.base+path, strings.NewReader(text))
	if err != nil {
		return response{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	for i := 0; i+1 < len(more); i += 2 {
		req.Header.Set(more[i], more[i+1])
	}
	return c.s.send(c.t, req)
}

// send sends a request to the API and checks what holds of every answer.
func (s *server) send(t testing.TB, req *http.Request) (response, error) {
	t.Helper()
	sent, err := testkit.Send(s.client, req)
	if err != nil {
		return response{}, err
	}
	r := newResponse(t, sent)
	r.checkAlways(req)
	return r, nil
}

// response is an answer of the API.
type response struct{ testkit.Response }

func newResponse(t testing.TB, sent testkit.Response) response {
	sent.T = t
	return response{sent}
}

// checkAlways checks the promises about every answer.
func (r response) checkAlways(req *http.Request) {
	r.T.Helper()
	h := r.Header
	if len(h["Set-Cookie"]) > 0 {
		r.T.Errorf("%s: there is a cookie", r.Request)
	}
	if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("X-Frame-Options") != "DENY" || h.Get("X-Request-Id") == "" {
		r.T.Errorf("%s: a header of every answer is missing: %v", r.Request, h)
	}
	caching := "no-store"
	if h.Get("ETag") != "" {
		caching = "private, no-cache"
	}
	if got := h.Get("Cache-Control"); got != caching {
		r.T.Errorf("%s: Cache-Control is %q, want %q", r.Request, got, caching)
	}
	if bytes.Contains(r.Body, []byte(":null")) {
		r.T.Errorf("%s: there is a null in the body: %s", r.Request, r.Body)
	}
	if r.Status < 400 || req.Method == http.MethodHead {
		return
	}
	f := r.failure()
	if f.Status != r.Status || f.Path != req.URL.EscapedPath() || f.RequestID != h.Get("X-Request-Id") ||
		f.Error == "" || f.Message == "" || f.Code == "" || !timestamp.MatchString(f.Timestamp) {
		r.T.Errorf("%s: the error body is wrong: %s", r.Request, r.Body)
	}
}

var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$`)

func (r response) want(status int) response {
	r.T.Helper()
	r.WantStatus(status)
	return r
}

func (r response) wantHeader(name, value string) response {
	r.T.Helper()
	r.WantHeader(name, value)
	return r
}

func (r response) wantCode(code string) response {
	r.T.Helper()
	if got := r.failure().Code; got != code {
		r.T.Errorf("%s: code %q, want %q", r.Request, got, code)
	}
	return r
}

func (r response) failure() failure {
	r.T.Helper()
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		r.T.Errorf("%s: content type of the error is %q", r.Request, got)
	}
	return into[failure](r)
}

// into decodes the JSON body.
func into[T any](r response) T {
	r.T.Helper()
	var v T
	if err := json.Unmarshal(r.Body, &v); err != nil {
		r.T.Errorf("%s: the body is not what was expected: %v\n%.500s", r.Request, err, r.Body)
	}
	return v
}

// manage sends a GET to the management listener.
func (s *server) manage(t testing.TB, path string) (status int, body string) {
	t.Helper()
	resp, err := s.client.Get(s.management + path)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	return resp.StatusCode, string(b)
}

// awaitReady waits until the server says that it is ready.
func (s *server) awaitReady(t testing.TB) {
	t.Helper()
	testkit.Eventually(t, "/readyz says ready", func() bool { _, said := s.manage(t, "/readyz"); return said == "ready\n" })
}

// quickly fails the test when something takes long that should not. Whatever
// waits for a slow client waits for ten seconds at least.
func quickly(t testing.TB, what string, do func()) {
	t.Helper()
	began := time.Now()
	do()
	if took := time.Since(began); took > testkit.Bound(8*time.Second) {
		t.Errorf("%s took %v", what, took)
	}
}
