package httpapi_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

// TestRequestsThatNeedTheDatabaseAreRefusedUnderOverload goes through all
// routes while every place is taken.
func TestRequestsThatNeedTheDatabaseAreRefusedUnderOverload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const kept = "/books?limit=3"
	w.send(t, request{as: clarkKent, path: kept}).want(t, 200, "")
	giveBack := w.api().FillPlaces()
	free := map[string]int{"GET /me": 200, "GET /openapi.yaml": 200, "GET /events": 200, "POST /imports/books": 200, "POST /imports/users": 200, "GET /lookups/{isbn}": 404}
	for _, route := range httpapi.Routes() {
		name := route.Method + " " + route.Pattern
		path := strings.NewReplacer("{id}", cleanCode, "{code}", "B0001", "{isbn}", "9780132350884").Replace(route.Pattern)
		r := request{as: clarkKent, method: route.Method, path: path}
		if route.Method == http.MethodPut || route.Method == http.MethodPost {
			r.body = "{}"
		}
		switch {
		case name == "GET /events":
			r.method = http.MethodHead
		case name == "POST /imports/books":
			r.path, r.body = path+"?dryRun=true", `[{"title":"T"}]` // so that the cached response stays
		case name == "POST /imports/users":
			r.path, r.body = path+"?dryRun=true", `[{}]`
		}
		if status, ok := free[name]; ok {
			if r.as = peterParker; route.Pattern == "/imports/users" {
				r.as = clarkKent
			}
			if a := w.send(t, r); a.status != status {
				t.Errorf("%s: status %d, want %d", name, a.status, status)
			}
			continue
		}
		a := w.send(t, r)
		for _, other := range []string{bruceWayne, peterParker} {
			if a.status == 403 { // an admin is no reader, and no curator
				r.as = other
				a = w.send(t, r)
			}
		}
		if a.want(t, 503, "overloaded"); a.header.Get("Retry-After") != "1" {
			t.Errorf("%s: Retry-After is %q", name, a.header.Get("Retry-After"))
		}
	}
	w.send(t, request{as: clarkKent, path: kept}).want(t, 200, "")
	w.send(t, request{path: "/books"}).want(t, 401, "missing_token")
	giveBack()
	w.send(t, request{as: clarkKent, path: "/books"}).want(t, 200, "")
	if n := w.api().Placed(); n != 0 {
		t.Errorf("%d places are taken when nothing is being worked for", n)
	}
}

// hesitant is a scheme that knows nobody yet, and takes its time to find out.
type hesitant struct {
	auth.Scheme
	checks atomic.Int64  // that have begun
	goOn   chan struct{} // is closed when they may end
}

func (h *hesitant) Recognize(*http.Request) *auth.Identity { return nil }

func (h *hesitant) Authenticate(r *http.Request) (*auth.Identity, error) {
	h.checks.Add(1)
	<-h.goOn
	return h.Scheme.Authenticate(r)
}

func newHesitant(t *testing.T) (*hesitant, *world) {
	h := &hesitant{goOn: make(chan struct{})}
	return h, newWorld(t, func(s *setup) { h.Scheme, s.scheme = bearer(t, *s, slog.Default()), h })
}

// TestWhatCannotBeDoneIsRefusedBeforeAnythingIsDoneForIt has all places taken: nobody
// looks at a token or at a body.
func TestWhatCannotBeDoneIsRefusedBeforeAnythingIsDoneForIt(t *testing.T) {
	t.Parallel()
	scheme, w := newHesitant(t)
	close(scheme.goOn)
	giveBack := w.api().FillPlaces()
	for _, r := range []request{
		{as: clarkKent, path: "/books"},
		{as: clarkKent, path: "/books/" + cleanCode},
		{as: peterParker, path: "/books", method: http.MethodPost, body: `{"title":`},
		{token: "no.token.atall", path: "/loans"},
	} {
		w.send(t, r).want(t, 503, "overloaded")
	}
	if n := scheme.checks.Load(); n > 0 {
		t.Errorf("%d tokens were checked", n)
	}
	w.send(t, request{path: "/loans"}).want(t, 401, "missing_token")
	giveBack()
	w.send(t, request{token: "no.token.atall", path: "/loans"}).want(t, 401, "malformed_token")
}

// TestWhoseTokenIsCheckedForTheFirstTimeHasNoPlace has callers with new tokens, which
// may mean to wait for keys of the provider.
func TestWhoseTokenIsCheckedForTheFirstTimeHasNoPlace(t *testing.T) {
	t.Parallel()
	scheme, w := newHesitant(t)
	const callers = 40 // more than there are places
	var all sync.WaitGroup
	for range callers {
		all.Go(func() { w.send(t, request{as: clarkKent, path: "/loans"}).want(t, 200, "") })
	}
	testkit.Eventually(t, "all are being checked", func() bool { return scheme.checks.Load() == callers })
	if n := w.api().Placed(); n > 0 {
		t.Errorf("%d of them have places", n)
	}
	close(scheme.goOn)
	all.Wait()
}

// TestWhoSetsThePaceHasNoPlace has callers who send, listen and read slowly.
func TestWhoSetsThePaceHasNoPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 80 { // more than the buffers of a connection hold
		added("/books", peterParker, `{"title":"Long","description":"`+strings.Repeat("x", 9_900)+`"}`)(t, w)
	}
	say := func(text string) net.Conn {
		c, err := net.Dial("tcp", w.server.Listener.Addr().String())
		testkit.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		c.(*net.TCPConn).SetReadBuffer(4 << 10)
		c.SetDeadline(time.Now().Add(testkit.Timeout(t)))
		io.WriteString(c, text)
		return c
	}
	header := " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
	body := say("POST " + basePath + "/books" + header + w.token(t, peterParker) + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{")
	stream := say("GET " + basePath + "/events" + header + w.token(t, bruceWayne) + "\r\n\r\n")
	list := say("GET " + basePath + "/books" + header + w.token(t, bruceWayne) + "\r\n\r\n")
	for _, c := range []net.Conn{stream, list} {
		testkit.NoError(t, testkit.Err(io.ReadFull(c, make([]byte, 1))))
	}
	testkit.Eventually(t, "nobody has a place", func() bool { return w.api().Placed() == 0 })
	body.Close()
	list.Close()
	stream.Close()
	w.send(t, request{as: bruceWayne, path: "/books?limit=2"}).want(t, 200, "")
}
