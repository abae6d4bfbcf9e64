package e2e

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"example.org/library/internal/testidp"
)

// stubCollector takes traces in.
type stubCollector struct {
	*httptest.Server
	mu     sync.Mutex
	spans  []*trace.Span
	text   strings.Builder // all that was received, readable
	faults []error
}

func newCollector(t testing.TB) *stubCollector {
	c := &stubCollector{}
	c.Server = httptest.NewServer(http.HandlerFunc(c.serve))
	t.Cleanup(c.Close)
	return c
}

func (c *stubCollector) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			c.faults = append(c.faults, err)
			return
		}
		body = unzipped
	}
	data, err := io.ReadAll(body)
	if err != nil {
		c.faults = append(c.faults, err)
		return
	}
	var request collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(data, &request); err != nil {
		c.faults = append(c.faults, err)
		return
	}
	c.text.WriteString(r.URL.Path + "\n" + prototext.Format(&request))
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
}

// makeTracedRequests does some of everything and stops the server, so that all
// traces are out.
func makeTracedRequests(t *testing.T, s *server) (tokens []string) {
	t.Helper()
	reader, admin := s.as(t, reader), s.as(t, admin)
	reader.get("/books?q=searched-for-words").want(200)
	reader.get("/books/"+cleanCode, "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").want(200)
	reader.post("/books/"+cleanCode+"/borrow", nil).want(200)
	admin.post("/users", map[string]any{"email": "new@example.com", "firstName": "New", "lastName": "Comer"}).want(201)
	reader.get("/users/private@example.com?access_token=x").want(400)
	admin.get("/users/private@example.com").want(400)
	admin.get("/nowhere/private@example.com").want(404)
	s.with(t, nobody).get("/books", "User-Agent", "private@example.com", "X-Forwarded-For", "private@example.com").want(401)
	s.with(t, nobody).call("MADE-UP", "/books", nil).want(401)
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
	return []string{reader.token, admin.token}
}

func TestTracesAreNamedByRouteAndHoldNothingPrivate(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	idp := testidp.New(t)
	s := start(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL}, "--issuer", idp.Issuer(), "--database", emptySQLite(t), "--sample-data")
	s.idp = idp
	tokens := makeTracedRequests(t, s)

	c.mu.Lock()
	defer c.mu.Unlock()
	for _, err := range c.faults {
		t.Error(err)
	}
	names, traces := map[string]int{}, []string{}
	for _, span := range c.spans {
		names[span.Name]++
		traces = append(traces, string(span.TraceId))
	}
	for name, n := range map[string]int{"GET /books": 1, "GET /books/{id}": 1, "POST /books/{id}/borrow": 1, "POST /users": 1, "GET /users/{id}": 1, "GET": 3, "other": 1} {
		if names[name] != n {
			t.Errorf("%d spans are named %q, want %d; all: %v", names[name], name, n, names)
		}
	}
	if !slices.Contains(traces, "\x4b\xf9\x2f\x35\x77\xb3\x4d\xa6\xa3\xce\x92\x9d\x0e\x0e\x47\x36") {
		t.Error("the caller's trace is not continued")
	}
	if !strings.HasPrefix(c.text.String(), "/v1/traces\n") || !strings.Contains(c.text.String(), `"library"`) {
		t.Errorf("what arrived:\n%.2000s", c.text.String())
	}
	checkNothingPrivate(t, c.text.String(), append(tokens, "MADE-UP")...)
}

func TestServerWorksWhileTheCollectorIsGone(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := start(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1", "OTEL_BSP_SCHEDULE_DELAY=50", "OTEL_EXPORTER_OTLP_TIMEOUT=500"},
		"--issuer", idp.Issuer(), "--database", emptySQLite(t), "--sample-data")
	s.idp = idp
	quickly(t, "twenty requests without a collector", func() {
		for range 20 {
			s.as(t, reader).get("/books").want(200)
		}
	})
	if code := s.stop(t, terminate); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
