package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/httpapi"
	"example.org/library/internal/testkit"
	"example.org/library/search"
)

func TestOnePersonHasTwentyStreamsAtMost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all []*listener
	for range 20 {
		all = append(all, w.listen(t, request{as: bruceWayne}))
	}
	a := w.send(t, request{as: bruceWayne, path: "/events"}).want(t, 429, "too_many_streams")
	if a.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
	w.send(t, request{as: bruceWayne, path: "/books"}).want(t, 200, "")
	w.send(t, request{as: bruceWayne, method: http.MethodHead, path: "/events"}).want(t, 200, "")
	all = append(all, w.listen(t, request{as: bruceBanner})) // others are not concerned
	lent(cleanCode, bruceWayne)(t, w)
	for _, l := range all {
		l.wantBare("ready")
		l.want("borrowed", cleanCode, true)
	}
	all[0].close()
	testkit.Eventually(t, "there is room again", func() bool {
		return w.send(t, request{as: bruceWayne, path: "/events"}).status == 200
	})
}

func TestThereIsALimitOfAllStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api().LimitStreams(2, 20)
	w.listen(t, request{as: bruceWayne})
	l := w.listen(t, request{as: bruceBanner})
	w.send(t, request{as: peterParker, path: "/events"}).want(t, 429, "too_many_streams")
	l.close()
	testkit.Eventually(t, "there is room again", func() bool {
		return w.send(t, request{as: peterParker, path: "/events"}).status == 200
	})
}

func TestAStreamGivesSignsOfLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api().KeepAlive(50 * time.Millisecond)
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	for range 3 {
		if e := testkit.Receive(t, "a sign of life", l.Come); !e.Comment {
			t.Errorf("got %+v", e)
		}
	}
}

func TestStreamsEndAtOnceWhenTheServerStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	w.server.Config.RegisterOnShutdown(w.api().EndStreams)
	if err := w.server.Config.Shutdown(testkit.Context(t)); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	l.WantEnd()
	// A client that is still connected and asks again gets a stream that ends at once.
	r := httptest.NewRequest(http.MethodGet, w.base+"/events", nil)
	r.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
	recorder := httptest.NewRecorder()
	w.api().ServeHTTP(recorder, r)
	if recorder.Code != 200 {
		t.Errorf("status %d, want a stream that ends at once", recorder.Code)
	}
	if text := w.log.String(); strings.Contains(text, `"ERROR"`) {
		t.Errorf("the log has an error in it: %s", text)
	}
}

// stuck is a caller who stops reading: from some write on, each one fails as it
// does when its deadline has passed.
type stuck struct {
	deadlineRecorder
	flushes atomic.Int64
}

func (s *stuck) Flush() { s.flushes.Add(1) }

func TestACallerWhoDoesNotReadIsDroppedAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fast := w.listen(t, request{as: bruceBanner})
	fast.wantBare("ready")
	caller := &stuck{deadlineRecorder: deadlineRecorder{ResponseRecorder: httptest.NewRecorder(), gone: 2}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := httptest.NewRequest(http.MethodGet, w.base+"/events", nil)
		r.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
		w.api().ServeHTTP(caller, r)
	}()
	testkit.Eventually(t, "the stream has begun", func() bool { return caller.flushes.Load() == 1 })
	lent(cleanCode, bruceWayne)(t, w)
	fast.want("borrowed", cleanCode, true)
	testkit.Receive(t, "the end of the stream", done)
	if len(caller.deadlines) != caller.writes {
		t.Errorf("%d writes with %d deadlines, want one for each", caller.writes, len(caller.deadlines))
	}
	for _, at := range caller.deadlines {
		if left := time.Until(at); left < 0 || left > time.Minute {
			t.Errorf("a deadline in %v", left)
		}
	}
	if strings.Contains(w.log.String(), `"ERROR"`) {
		t.Error("it is no error of ours")
	}
}

// TestAStreamOutlivesTheTimeOutOfAnAnswer is about net/http, which ends an
// answer after a while unless its deadline is moved, in HTTP/2 even when nothing
// is being written.
func TestAStreamOutlivesTheTimeOutOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.tls = true })
			server := httptest.NewUnstartedServer(w.api())
			server.Config.WriteTimeout = 3 * time.Second // enough to begin a stream on a busy machine
			server.EnableHTTP2 = version == "HTTP/2.0"
			server.StartTLS()
			t.Cleanup(server.Close)
			t.Cleanup(w.api().EndStreams)
			w.server = server
			l := w.listen(t, request{as: bruceWayne})
			if l.wantBare("ready"); l.proto != version {
				t.Fatalf("the stream comes over %s", l.proto)
			}
			time.Sleep(server.Config.WriteTimeout + 500*time.Millisecond)
			lent(cleanCode, bruceWayne)(t, w)
			l.want("borrowed", cleanCode, true)
		})
	}
}

func TestStreamsAreCountedAndNotTimed(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	w := newWorld(t)
	handler := httpapi.New(httpapi.Config{
		Service: w.service, Search: search.New(w.store), Auth: bearer(t, setup{auth: authConfig(w)}, w.log.logger()), BasePath: basePath,
		Logger: w.log.logger(), Events: w.requests.add, Metrics: httpapi.NewMetrics(registry),
	})
	w.server.Config.Handler = handler
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	metrics := func() string {
		recorder := httptest.NewRecorder()
		httpapi.NewManagement(registry, nil).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		return recorder.Body.String()
	}
	if !strings.Contains(metrics(), "\nlibrary_event_streams 1\n") {
		t.Error("an open stream is not counted")
	}
	l.close()
	l.WantEnd()
	if e := w.requests.wait(t, 1)[0]; e.Route != "/events" || e.Status != 200 || e.User != wayneID || e.Bytes == 0 {
		t.Errorf("the event of the request: %+v", e)
	}
	text := metrics()
	for _, line := range []string{"\nlibrary_event_streams 0\n", `library_http_requests_total{method="GET",route="/events",status="200"} 1`} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
	if strings.Contains(text, `library_http_request_duration_seconds_count{method="GET",route="/events",status="200"} 1`) {
		t.Error("the time that somebody listened is among the times of answers")
	}
}
