package e2e

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// listener is somebody who listens to the events of a server.
type listener struct {
	*testkit.EventStream
	t      testing.TB
	header http.Header
	stop   func()
}

// listen opens a stream, behind an event unless that is "".
func (c session) listen(lastID string) *listener {
	c.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "GET", c.s.base+"/events", nil)
	testkit.NoError(c.t, err)
	req.Header.Set("Authorization", "Bearer "+c.token)
	if lastID != "" {
		req.Header.Set("Last-Event-ID", lastID)
	}
	resp, err := c.s.client.Transport.RoundTrip(req)
	testkit.NoError(c.t, err)
	r := newResponse(c.t, testkit.Response{Request: "GET /events", Status: resp.StatusCode, Header: resp.Header})
	r.checkAlways(req)
	r.want(200).wantHeader("Content-Type", "text/event-stream").wantHeader("X-Accel-Buffering", "no")
	return &listener{EventStream: testkit.ReadEvents(c.t, resp, stop), t: c.t, header: resp.Header, stop: stop}
}

// next waits for the next event that is sent to everybody.
func (l *listener) next() testkit.StreamEvent {
	l.t.Helper()
	for {
		if e := l.Next(); !e.IsOwn() {
			return e
		}
	}
}

func (l *listener) want(event, book string, borrowed bool) {
	l.t.Helper()
	data := "{}"
	if book != "" { // of which there is one copy
		available := 1
		if borrowed || event == "deleted" {
			available = 0
		}
		data = fmt.Sprintf(`{"identifier":"%s","borrowed":%t,"available":%d}`, book, borrowed, available)
	}
	if e := l.next(); e.Event != event || e.Data != data {
		l.t.Fatalf("got %s %s, want %s %s", e.Event, e.Data, event, data)
	}
}

func TestEventsOfOneProcessArriveAtTheOther(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		servers := startSeveral(t, database, 2)
		here, there := servers[0], servers[1]
		borrower, writer := here.as(t, reader), here.as(t, curator)
		l := there.as(t, reader2).listen("")
		l.want("ready", "", false)
		// Other tests use the same PostgreSQL server, and news wait for the
		// transactions of all: the samples may still be among them.
		borrower.post("/books/"+cleanCode+"/borrow", nil).want(200)
		for l.next().Event != "borrowed" {
		}
		borrower.post("/books/"+cleanCode+"/return", nil).want(200)
		l.want("returned", cleanCode, false)

		best := time.Hour
		for range 5 {
			began := time.Now()
			borrower.post("/books/"+cleanCode+"/borrow", nil).want(200)
			l.want("borrowed", cleanCode, true)
			best = min(best, time.Since(began))
			borrower.post("/books/"+cleanCode+"/return", nil).want(200)
			l.want("returned", cleanCode, false)
		}
		if best > time.Second {
			t.Errorf("an event takes %v at best, promised is a second", best)
		}
		l.stop()
		l.WantEnd()

		// What is missed comes first, in order, once, from the other copy.
		borrower.post("/books/"+pride+"/borrow", nil).want(200)
		writer.put("/books/"+pride, map[string]any{"title": "Pride"}).want(200)
		added := into[book](there.as(t, curator).post("/books", map[string]any{"title": "New"}).want(201)).Identifier
		again := here.as(t, reader2).listen(l.Last)
		again.want("borrowed", pride, true)
		again.want("edited", pride, true)
		again.want("added", added, false)
		writer.delete("/books/" + added).want(204)
		again.want("deleted", added, false)
		borrower.post("/books/"+pride+"/return", nil).want(200)
		again.want("returned", pride, false)
		again.stop()
		again.WantEnd()

		for _, text := range []string{fmt.Sprint(l.header), fmt.Sprint(again.header), l.Text.String(), again.Text.String()} {
			for _, who := range []string{bruceWayne, reader.email, "Bruce", "Wayne", "@"} {
				if strings.Contains(text, who) {
					t.Errorf("the stream has %q in it:\n%s", who, text)
				}
			}
		}
		elsewhere := startWith(t, here.idp, "--database", emptySQLite(t), "--sample-data")
		elsewhere.as(t, reader2).listen(again.Last).want("reset", "", false)
	})
}

// TestEventsArriveAtOnceThroughTracingAndTLS is about what stands between the
// stream and the network.
func TestEventsArriveAtOnceThroughTracingAndTLS(t *testing.T) {
	t.Parallel()
	certFile, keyFile, _ := newCertificate(t)
	idp := testidp.New(t)
	s := start(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + newCollector(t).URL}, "--issuer", idp.Issuer(),
		"--database", emptySQLite(t), "--sample-data", "--tls-cert", certFile, "--tls-key", keyFile)
	s.idp = idp
	l := s.as(t, reader2).listen("")
	l.want("ready", "", false)
	s.as(t, reader).post("/books/"+cleanCode+"/borrow", nil).want(200)
	quickly(t, "an event", func() { l.want("borrowed", cleanCode, true) })
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	l.WantEnd()
}
