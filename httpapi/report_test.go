package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
	"example.org/library/search"
)

func TestEachRequestIsReportedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asks := []request{
		{as: bruceWayne, path: "/books?q=bruce.wayne@example.com", header: field("X-Request-Id", "one")},
		{path: "/nowhere/secret-path", header: field("X-Request-Id", "two")},
		{as: bruceWayne, method: http.MethodPost, path: borrowPath, header: field("X-Request-Id", "three")},
		{as: clarkKent, path: "/users?q=bruce.wayne@example.com&secret-query=1", header: field("X-Request-Id", "four")},
		{as: bruceWayne, method: "SECRET-METHOD", path: "/books", header: field("X-Request-Id", "five")},
	}
	for _, ask := range asks {
		w.send(t, ask)
	}
	want := []httpapi.Event{
		{RequestID: "one", Method: "GET", Route: "/books", Status: 200, User: wayneID},
		{RequestID: "two", Method: "GET", Status: 401, Code: "missing_token"},
		{RequestID: "three", Method: "POST", Route: "/books/{id}/borrow", Status: 200, User: wayneID},
		{RequestID: "four", Method: "GET", Route: "/users", Status: 400, User: kentID, Code: "bad_query"},
		{RequestID: "five", Method: "other", Status: 405, User: wayneID, Code: "method_not_allowed"},
	}
	events := w.requests.wait(t, len(asks))
	for i, e := range events {
		if e.Time.IsZero() || e.Took <= 0 || e.Remote == "" || e.Bytes == 0 {
			t.Errorf("event %d is incomplete: %+v", i, e)
		}
	}
	if diff := cmp.Diff(want, events, cmpopts.IgnoreFields(httpapi.Event{}, "Time", "Took", "Bytes", "Remote")); diff != "" {
		t.Error(diff)
	}
	log := w.log.String() + fmt.Sprintf("%+v", events)
	for _, secret := range []string{w.token(t, bruceWayne), "@example.com", "secret-path", "secret-query", "SECRET-METHOD"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains %.40q", secret)
		}
	}
}

// failingStore is a store in which something goes wrong.
type failingStore struct {
	library.Store
	book        func() error                  // before a book is read
	books       func(library.BookQuery) error // before a part of a list is read
	userByEmail func() error
	calls       atomic.Int64 // of Books
}

func (s *failingStore) Book(ctx context.Context, id, viewer string) (library.Book, error) {
	if s.book != nil {
		if err := s.book(); err != nil {
			return library.Book{}, err
		}
	}
	return s.Store.Book(ctx, id, viewer)
}

func (s *failingStore) BooksInBatch(ctx context.Context, q library.BookQuery, b library.BookBatch) ([]library.Book, error) {
	s.calls.Add(1)
	if s.books != nil {
		if err := s.books(q); err != nil {
			return nil, err
		}
	}
	return s.Store.BooksInBatch(ctx, q, b)
}

func (s *failingStore) UserByEmail(ctx context.Context, email string) (library.User, library.Revision, error) {
	if s.userByEmail != nil {
		if err := s.userByEmail(); err != nil {
			return library.User{}, library.Revision{}, err
		}
	}
	return s.Store.UserByEmail(ctx, email)
}

// over puts the failures over a world's store.
func (s *failingStore) over(inner library.Store) library.Store {
	s.Store = inner
	return s
}

func with(s *failingStore) func(*setup) { return func(c *setup) { c.store = s.over } }

func TestAPanicIs500WithTheStackInTheLogOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, with(&failingStore{book: func() error { panic("inner secret") }}))
	a := w.send(t, request{as: bruceWayne, path: bookPath, header: field("X-Request-Id", "find-me")}).want(t, 500, "internal")
	if strings.Contains(string(a.body), "secret") || strings.Contains(string(a.body), "goroutine") {
		t.Errorf("the answer says too much: %s", a.body)
	}
	if a.error().RequestID != "find-me" {
		t.Errorf("requestId %q", a.error().RequestID)
	}
	events := w.log.events(t, "panic")
	if len(events) != 1 || events[0]["requestId"] != "find-me" || events[0]["panic"] != "inner secret" ||
		!strings.Contains(fmt.Sprint(events[0]["stack"]), "report_test.go") {
		t.Errorf("log events %v", events)
	}
	if e := w.requests.wait(t, 1)[0]; e.Status != 500 {
		t.Errorf("the event of the request: %+v", e)
	}
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "") // life goes on
}

func TestAnythingUnforeseenIs500AndSaysNothing(t *testing.T) {
	t.Parallel()
	secret := func() error { return errors.New("dial tcp 10.0.0.1: password=hunter2") }
	for name, store := range map[string]*failingStore{
		"/books":  {books: func(library.BookQuery) error { return secret() }},
		bookPath:  {book: secret},
		"/me":     {userByEmail: secret},
		"/users":  {userByEmail: secret},
		"/absent": {userByEmail: secret},
	} {
		w := newWorld(t, with(store))
		a := w.send(t, request{as: clarkKent, path: name}).want(t, 500, "internal")
		if strings.Contains(string(a.body), "hunter2") || strings.Contains(string(a.body), "10.0.0.1") {
			t.Errorf("%s: the answer says too much: %s", name, a.body)
		}
		events := w.log.events(t, "internal error")
		if len(events) != 1 || events[0]["requestId"] != a.error().RequestID || !strings.Contains(fmt.Sprint(events[0]["error"]), "hunter2") {
			t.Errorf("%s: log events %v", name, events)
		}
	}
}

// fill adds enough books for a list that is sent while it is read.
func (w *world) fill(t *testing.T) {
	t.Helper()
	long := strings.Repeat("x", 9000)
	for i := range 300 {
		w.addBooks(t, library.BookFields{Title: fmt.Sprintf("Book %03d", i), Description: long})
	}
}

func TestAListThatCannotBeReadOnIsCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, with(&failingStore{books: func(q library.BookQuery) error {
		if q.After != nil && q.After.Title > "Book 100" {
			return errors.New("the disk is gone")
		}
		return nil
	}}))
	w.fill(t)
	req, err := http.NewRequest(http.MethodGet, w.server.URL+w.base+"/books", nil)
	testkit.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
	resp, err := w.server.Client().Do(req)
	testkit.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 || err == nil || len(body) < httpapi.MaxCached {
		t.Errorf("status %d, %d bytes, error %v: want 200, a part of the list, and a cut connection", resp.StatusCode, len(body), err)
	}
	if e := w.requests.wait(t, 1)[0]; e.Code != "broken_off" || e.Status != 200 {
		t.Errorf("the event of the request: %+v", e)
	}
	if len(w.log.events(t, "list broken off")) != 1 || strings.Contains(string(body), "disk") {
		t.Error("the reason belongs into the log, and nowhere else")
	}
}

// deadlineRecorder is a ResponseWriter that notes the deadlines it is given, and from
// some write on behaves as if the caller had gone away.
type deadlineRecorder struct {
	*httptest.ResponseRecorder
	deadlines []time.Time
	writes    int
	gone      int // the write that fails
}

func (p *deadlineRecorder) SetWriteDeadline(at time.Time) error {
	p.deadlines = append(p.deadlines, at)
	return nil
}

func (p *deadlineRecorder) Write(b []byte) (int, error) {
	if p.writes++; p.writes == p.gone {
		return 0, io.ErrClosedPipe
	}
	return p.ResponseRecorder.Write(b)
}

func TestASlowReaderHoldsUpNobody(t *testing.T) {
	t.Parallel()
	store := &failingStore{}
	w := newWorld(t, with(store))
	w.fill(t)
	ask := func(p *deadlineRecorder) {
		r := httptest.NewRequest(http.MethodGet, w.base+"/books", nil)
		r.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
		w.server.Config.Handler.ServeHTTP(p, r)
	}
	whole := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder()}
	ask(whole)
	if whole.writes < 10 || len(whole.deadlines) != whole.writes {
		t.Fatalf("%d writes with %d deadlines, want one for each", whole.writes, len(whole.deadlines))
	}
	for _, at := range whole.deadlines {
		if left := time.Until(at); left < 0 || left > time.Minute {
			t.Errorf("a deadline in %v", left)
		}
	}
	all := store.calls.Swap(0)
	gone := &deadlineRecorder{ResponseRecorder: httptest.NewRecorder(), gone: 2}
	ask(gone)
	if gone.writes != 2 || store.calls.Load() >= all {
		t.Errorf("%d writes and %d of %d reads, although the caller went away at the second write", gone.writes, store.calls.Load(), all)
	}
}

func TestMetricsKnowRoutesNotPaths(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	metrics := httpapi.NewMetrics(registry)
	w := newWorld(t)
	handler := httpapi.New(httpapi.Config{
		Service: w.service, Search: search.New(w.store), Auth: bearer(t, setup{auth: authConfig(w)}, w.log.logger()), BasePath: basePath,
		Logger: w.log.logger(), Events: w.requests.add, Metrics: metrics,
	})
	for _, path := range []string{bookPath, "/books/" + designPatterns, "/books/" + unknownID, "/strange"} {
		r := httptest.NewRequest(http.MethodGet, basePath+path, nil)
		r.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	management := httpapi.NewManagement(registry, nil)
	recorder := httptest.NewRecorder()
	management.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := recorder.Body.String()
	for _, line := range []string{
		`library_http_requests_total{method="GET",route="/books/{id}",status="200"} 2`,
		`library_http_requests_total{method="GET",route="/books/{id}",status="404"} 1`,
		`library_http_requests_total{method="GET",route="",status="404"} 1`,
		`library_token_checks_total{result="ok"} 4`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if strings.Contains(text, "strange") || strings.Contains(text, cleanCode) {
		t.Error("the metrics contain a path")
	}
}
