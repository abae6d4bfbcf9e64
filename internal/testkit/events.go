package testkit

import (
	"bufio"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// StreamEvent is a server-sent event, or a comment between two.
type StreamEvent struct {
	Event, ID, Data string
	Comment         bool
}

// IsOwn reports whether an event is about a loan or a hold of the listener.
func (e StreamEvent) IsOwn() bool { return e.Event == "loan" || e.Event == "hold" }

// EventStream reads server-sent events, as a browser does.
type EventStream struct {
	Text strings.Builder  // everything received; to be read after the end
	Last string           // the id of the last event taken
	Come chan StreamEvent // with comments; closed at the end of the stream

	t testing.TB
}

// ReadEvents reads a response. When the test ends, it calls stop and waits for the end
// of the stream.
func ReadEvents(t testing.TB, resp *http.Response, stop func()) *EventStream {
	s := &EventStream{t: t, Come: make(chan StreamEvent, 1000)}
	go s.read(resp.Body)
	t.Cleanup(func() { stop(); s.Rest() })
	return s
}

func (s *EventStream) read(body io.ReadCloser) {
	defer close(s.Come)
	defer body.Close()
	var e StreamEvent
	for lines := bufio.NewScanner(body); lines.Scan(); {
		line := lines.Text()
		s.Text.WriteString(line + "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e != StreamEvent{}:
			s.Come <- e
			e = StreamEvent{}
		case name == "event":
			e.Event = value
		case name == "id":
			e.ID = value
		case name == "data":
			e.Data = value
		case strings.HasPrefix(line, ":"):
			e.Comment = true
		}
	}
}

// Next waits for the next event.
func (s *EventStream) Next() StreamEvent {
	s.t.Helper()
	for timeout := time.After(Timeout(s.t)); ; {
		select {
		case e, ok := <-s.Come:
			if !ok {
				s.t.Fatalf("the stream has ended:\n%s", &s.Text)
			}
			if !e.Comment {
				s.Last = e.ID
				return e
			}
		case <-timeout:
			s.t.Fatal("no event")
		}
	}
}

// Rest waits for the end and returns the events before it, without the listener's own.
func (s *EventStream) Rest() (all []StreamEvent) {
	s.t.Helper()
	for timeout := time.After(Timeout(s.t)); ; {
		select {
		case e, ok := <-s.Come:
			if !ok {
				return all
			}
			if !e.Comment && !e.IsOwn() {
				all = append(all, e)
			}
		case <-timeout:
			s.t.Fatal("the stream goes on")
		}
	}
}

// WantEnd waits for the end, and fails if an event comes before it.
func (s *EventStream) WantEnd() {
	s.t.Helper()
	if more := s.Rest(); len(more) > 0 {
		s.t.Fatalf("before the end of the stream there is %v", more)
	}
}
