package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"example.org/library/api"
	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
)

// streamEvent is an event that a listener has received.
type streamEvent struct {
	event, id, data string
	comment         bool
}

// listener reads an event stream, as a browser does.
type listener struct {
	t      testing.TB
	w      *world
	proto  string
	header http.Header
	come   chan streamEvent // closed at the end of the stream
	close  func()
	text   strings.Builder // all that came; to be read after the end
	last   string          // the id of the last event that was taken
	own    []streamEvent   // about the listener's loans and holds, that next has skipped
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
	l := &listener{t: t, w: w, proto: resp.Proto, header: resp.Header, come: make(chan streamEvent, 1000), close: cancel}
	go l.read(resp)
	t.Cleanup(func() { l.close(); l.rest() })
	return l
}

// resume opens a stream after an event.
func (w *world) resume(t testing.TB, as, id string) *listener {
	t.Helper()
	return w.listen(t, request{as: as, header: field("Last-Event-ID", id)})
}

func (l *listener) read(resp *http.Response) {
	defer close(l.come)
	defer resp.Body.Close()
	var e streamEvent
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		line := lines.Text()
		l.text.WriteString(line + "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e != streamEvent{}:
			l.come <- e
			e = streamEvent{}
		case name == "event":
			e.event = value
		case name == "id":
			e.id = value
		case name == "data":
			e.data = value
		case strings.HasPrefix(line, ":"):
			e.comment = true
		}
	}
}

// next waits for the next event that is sent to everybody.
func (l *listener) next() streamEvent {
	l.t.Helper()
	for {
		e := l.any()
		if !e.isOwn() {
			return e
		}
		l.own = append(l.own, e)
	}
}

// isOwn reports whether an event is about a loan or a hold of the listener.
func (e streamEvent) isOwn() bool { return e.event == "loan" || e.event == "hold" }

// any waits for the next event.
func (l *listener) any() streamEvent {
	l.t.Helper()
	for timeout := time.After(testkit.Timeout(l.t)); ; {
		select {
		case e, ok := <-l.come:
			if !ok {
				l.t.Fatalf("the stream has ended:\n%s", &l.text)
			}
			if e.comment {
				continue
			}
			l.check(e)
			l.last = e.id
			return e
		case <-timeout:
			l.t.Fatal("no event")
		}
	}
}

// check holds the data of an event against the contract.
func (l *listener) check(e streamEvent) {
	l.t.Helper()
	if e.id == "" || strings.ContainsAny(e.id, " \t") {
		l.t.Errorf("an event with the id %q", e.id)
	}
	if e.event == "ready" || e.event == "reset" {
		if e.data != "{}" {
			l.t.Errorf("%s with the data %q", e.event, e.data)
		}
		return
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(e.data))
	if err != nil {
		l.t.Fatalf("%s with the data %q: %v", e.event, e.data, err)
	}
	c, err := theContract()
	testkit.NoError(l.t, err)
	schema := "Change"
	if e.isOwn() {
		schema = strings.ToUpper(e.event[:1]) + e.event[1:]
	}
	if err := c.validate(c.doc.Components.Schemas[schema], value); err != nil {
		l.t.Errorf("%s with the data %q: %v", e.event, e.data, err)
	}
}

// want waits for an event about a book.
func (l *listener) want(event, book string, borrowed bool) {
	l.t.Helper()
	e := l.next()
	var c api.Change
	testkit.NoError(l.t, json.Unmarshal([]byte(e.data), &c))
	if e.event != event || c.Identifier != book || c.Borrowed != borrowed {
		l.t.Fatalf("got %s %s, want %s of %s, borrowed %t", e.event, e.data, event, book, borrowed)
	}
}

// wantBare waits for an event that is about no book.
func (l *listener) wantBare(event string) {
	l.t.Helper()
	if e := l.next(); e.event != event {
		l.t.Fatalf("got %s, want %s", e.event, event)
	}
}

// rest waits for the end and returns the events before it, without those about the
// listener's loans and holds.
func (l *listener) rest() []streamEvent {
	l.t.Helper()
	var all []streamEvent
	for timeout := time.After(testkit.Timeout(l.t)); ; {
		select {
		case e, ok := <-l.come:
			if !ok {
				return all
			}
			if !e.comment && !e.isOwn() {
				all = append(all, e)
			}
		case <-timeout:
			l.t.Fatal("the stream goes on")
		}
	}
}

// wantEnd waits for the end, before which there must be nothing more.
func (l *listener) wantEnd() {
	l.t.Helper()
	if more := l.rest(); len(more) > 0 {
		l.t.Fatalf("before the end of the stream there is %v", more)
	}
}
