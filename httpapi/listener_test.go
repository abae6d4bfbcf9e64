package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.org/library/api"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

// listener reads an event stream, as a browser does.
type listener struct {
	*testkit.EventStream
	t      testing.TB
	w      *world
	proto  string
	header http.Header
	close  func()
	own    []testkit.StreamEvent // about the listener's loans and holds, that next has skipped
}

func (w *world) api() *httpapi.Server { return w.server.Config.Handler.(*httpapi.Server) }

// listen opens a stream and holds its head against the contract.
func (w *world) listen(t testing.TB, r request) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+w.base+"/events"+r.path, nil)
	testkit.NoError(t, err)
	for name, values := range r.header {
		req.Header[name] = values
	}
	if r.token == "" && r.as != "" {
		r.token = w.token(t, r.as)
	}
	if r.token != "" {
		req.Header.Set("Authorization", "Bearer "+r.token)
	}
	resp, err := w.server.Client().Transport.RoundTrip(req)
	testkit.NoError(t, err)
	if resp.StatusCode != 200 {
		w.receive(t, req, req.URL.RequestURI(), resp).want(t, 200, "")
	}
	w.checkContract(t, req, req.URL.RequestURI(), reply{status: resp.StatusCode, header: resp.Header})
	return &listener{EventStream: testkit.ReadEvents(t, resp, cancel), t: t, w: w, proto: resp.Proto, header: resp.Header, close: cancel}
}

// resume opens a stream after an event.
func (w *world) resume(t testing.TB, as, id string) *listener {
	t.Helper()
	return w.listen(t, request{as: as, header: field("Last-Event-ID", id)})
}

// next waits for the next event that is sent to everybody.
func (l *listener) next() testkit.StreamEvent {
	l.t.Helper()
	for {
		e := l.any()
		if !e.IsOwn() {
			return e
		}
		l.own = append(l.own, e)
	}
}

// any waits for the next event.
func (l *listener) any() testkit.StreamEvent {
	l.t.Helper()
	e := l.Next()
	l.check(e)
	return e
}

// check holds the data of an event against the contract.
func (l *listener) check(e testkit.StreamEvent) {
	l.t.Helper()
	if e.ID == "" || strings.ContainsAny(e.ID, " \t") {
		l.t.Errorf("an event with the id %q", e.ID)
	}
	if e.Event == "ready" || e.Event == "reset" {
		if e.Data != "{}" {
			l.t.Errorf("%s with the data %q", e.Event, e.Data)
		}
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(e.Data))
	if err != nil {
		l.t.Fatalf("%s with the data %q: %v", e.Event, e.Data, err)
	}
	c, err := theContract()
	testkit.NoError(l.t, err)
	schema := "Change"
	if e.IsOwn() {
		schema = strings.ToUpper(e.Event[:1]) + e.Event[1:]
	}
	if err := c.validate(c.doc.Components.Schemas[schema], value); err != nil {
		l.t.Errorf("%s with the data %q: %v", e.Event, e.Data, err)
	}
}

// want waits for an event about a book.
func (l *listener) want(event, book string, borrowed bool) {
	l.t.Helper()
	e := l.next()
	var c api.Change
	testkit.NoError(l.t, json.Unmarshal([]byte(e.Data), &c))
	if e.Event != event || c.Identifier != book || c.Borrowed != borrowed {
		l.t.Fatalf("got %s %s, want %s of %s, borrowed %t", e.Event, e.Data, event, book, borrowed)
	}
}

// wantBare waits for an event that is about no book.
func (l *listener) wantBare(event string) {
	l.t.Helper()
	if e := l.next(); e.Event != event {
		l.t.Fatalf("got %s, want %s", e.Event, event)
	}
}
