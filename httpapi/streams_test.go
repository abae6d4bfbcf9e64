package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/httpapi"
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
	eventually(t, "there is room again", func() bool {
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
	eventually(t, "there is room again", func() bool {
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
		select {
		case e := <-l.come:
			if !e.comment {
				t.Errorf("got %+v", e)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("no sign of life")
		}
	}
}

func TestStreamsEndAtOnceWhenTheServerStops(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	w.server.Config.RegisterOnShutdown(w.api().EndStreams)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := w.server.Config.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	l.wantEnd()
	// Whoever is still connected and asks again is told so at once.
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

// watches counts the goroutines that watch the history.
func watches() int {
	stacks := make([]byte, 4<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "httpapi.(*watch).run")
}

// TestNobodyWatchesForNobody is not parallel: it counts the goroutines of all.
func TestNobodyWatchesForNobody(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		if w.api().Watching() {
			t.Fatal("the history is watched for nobody")
		}
		first, second := w.listen(t, request{as: bruceWayne}), w.listen(t, request{as: bruceBanner})
		first.wantBare("ready")
		second.wantBare("ready")
		eventually(t, "one watch for two streams", func() bool { return watches() == 1 })
		first.close()
		first.wantEnd()
		lent(cleanCode, bruceWayne)(t, w)
		second.want("borrowed", cleanCode, true)
		returned(cleanCode, bruceWayne)(t, w)
		second.want("returned", cleanCode, false)
		second.close()
		second.wantEnd()
		eventually(t, "no watch without a stream", func() bool { return watches() == 0 && !w.api().Watching() })
	}
}

// history is a store whose history can be out of order.
type history struct {
	library.Store
	fault atomic.Pointer[error]
	reads atomic.Int64
}

func (h *history) over(s library.Store) library.Store { h.Store = s; return h }

func (h *history) set(err error) { h.fault.Store(&err) }

func (h *history) err() error {
	h.reads.Add(1)
	if err := h.fault.Load(); err != nil {
		return *err
	}
	return nil
}

func (h *history) Changes(ctx context.Context, p library.Position, n int) ([]library.Change, error) {
	if err := h.err(); err != nil {
		return nil, err
	}
	return h.Store.Changes(ctx, p, n)
}

func (h *history) LastChange(ctx context.Context) (library.Position, error) {
	if err := h.err(); err != nil {
		return library.Position{}, err
	}
	return h.Store.LastChange(ctx)
}

func TestAHistoryThatCannotBeReadForAWhileIsNoEnd(t *testing.T) {
	t.Parallel()
	h := &history{}
	w := newWorld(t, func(s *setup) { s.store = h.over })
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	h.set(errors.New("no route to hunter2"))
	w.send(t, request{as: bruceBanner, path: "/events"}).want(t, 500, "internal")
	lent(cleanCode, bruceWayne)(t, w)
	before := h.reads.Load()
	eventually(t, "it is tried again and again", func() bool { return h.reads.Load() > before+3 })
	h.set(nil)
	l.want("borrowed", cleanCode, true)
	if n := len(w.log.events(t, "changes cannot be read; event streams are silent until they can")); n != 1 {
		t.Errorf("%d events in the log about one outage", n)
	}
}

func TestAWatchThatCannotBeginIsTriedAnew(t *testing.T) {
	t.Parallel()
	h := &history{}
	w := newWorld(t, func(s *setup) { s.store = h.over })
	h.set(errors.New("no route"))
	w.send(t, request{as: bruceWayne, path: "/events"}).want(t, 500, "internal")
	h.set(nil)
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	lent(cleanCode, bruceWayne)(t, w)
	l.want("borrowed", cleanCode, true)
}

func TestWhenTheHistoryIsLostStreamsBeginAnew(t *testing.T) {
	t.Parallel()
	h := &history{}
	w := newWorld(t, func(s *setup) { s.store = h.over })
	l := w.listen(t, request{as: bruceWayne})
	l.wantBare("ready")
	h.set(library.ErrPositionLost)
	l.wantEnd()
	h.set(nil)
	again := w.listen(t, request{as: bruceWayne})
	again.wantBare("ready")
	lent(cleanCode, bruceWayne)(t, w)
	again.want("borrowed", cleanCode, true)
}

// stuck is a caller who stops reading: from some write on, each one fails as it
// does when its deadline has passed.
type stuck struct {
	patience
	flushes atomic.Int64
}

func (s *stuck) Flush() { s.flushes.Add(1) }

func TestACallerWhoDoesNotReadIsDroppedAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fast := w.listen(t, request{as: bruceBanner})
	fast.wantBare("ready")
	caller := &stuck{patience: patience{ResponseRecorder: httptest.NewRecorder(), gone: 2}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := httptest.NewRequest(http.MethodGet, w.base+"/events", nil)
		r.Header.Set("Authorization", "Bearer "+w.token(t, bruceWayne))
		w.api().ServeHTTP(caller, r)
	}()
	eventually(t, "the stream has begun", func() bool { return caller.flushes.Load() == 1 })
	lent(cleanCode, bruceWayne)(t, w)
	fast.want("borrowed", cleanCode, true)
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the stream goes on")
	}
	if len(caller.deadlines) != caller.writes {
		t.Errorf("%d writes with %d deadlines, want one for each", caller.writes, len(caller.deadlines))
	}
	for _, at := range caller.deadlines {
		if left := time.Until(at); left < 0 || left > time.Minute {
			t.Errorf("a deadline in %v", left)
		}
	}
	if strings.Contains(w.log.String(), `"ERROR"`) {
		t.Error("it is no fault of ours")
	}
}

// TestAStreamOutlivesTheTimeOutOfAnAnswer is about net/http, which ends an
// answer after a while unless it is told otherwise, in HTTP/2 even when nothing
// is being written.
func TestAStreamOutlivesTheTimeOutOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(s *setup) { s.tls = true })
			server := httptest.NewUnstartedServer(w.api())
			server.Config.WriteTimeout = 400 * time.Millisecond
			server.EnableHTTP2 = version == "HTTP/2.0"
			server.StartTLS()
			t.Cleanup(server.Close)
			t.Cleanup(w.api().EndStreams)
			w.server = server
			l := w.listen(t, request{as: bruceWayne})
			if l.wantBare("ready"); l.proto != version {
				t.Fatalf("the stream comes over %s", l.proto)
			}
			time.Sleep(time.Second)
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
		Service: w.service, Auth: bearer(t, setup{auth: authConfig(w)}, w.log.logger()), BasePath: basePath,
		Logger: w.log.logger(), Metrics: httpapi.NewMetrics(registry),
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
	l.wantEnd()
	eventually(t, "it is reported at its end", func() bool { return len(w.log.events(t, httpapi.RequestEvent)) == 1 })
	event := w.log.events(t, httpapi.RequestEvent)[0]
	if event["route"] != "/events" || event["status"] != 200.0 || event["user"] != wayneID || event["bytes"] == 0.0 {
		t.Errorf("the event of the request: %v", event)
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

// TestStreamsThatBeginAmidChangesMissNothing lets streams begin, and others
// resume, while books change all the time: what each of them is told is one
// piece of the same history.
func TestStreamsThatBeginAmidChangesMissNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api().LimitStreams(1000, 1000)
	whole := w.listen(t, request{as: bruceWayne})
	whole.wantBare("ready")
	start := whole.last
	const n = 150
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := range n {
			w.addBooks(t, library.BookFields{Title: "T"})
			time.Sleep(time.Duration(i%7) * time.Millisecond)
		}
	})
	var late []*listener
	for i := range 24 {
		if i%2 == 0 {
			late = append(late, w.resume(t, bruceBanner, start))
		} else {
			late = append(late, w.listen(t, request{as: bruceBanner}))
		}
		time.Sleep(20 * time.Millisecond)
	}
	writing.Wait()
	var history []string
	for range n {
		history = append(history, whole.next().id)
	}
	for i, l := range late {
		want := history
		if i%2 == 1 {
			l.wantBare("ready")
			want = after(history, l.last)
		}
		for _, id := range want {
			if e := l.next(); e.id != id {
				t.Fatalf("stream %d: got %+v, want the event %s", i, e, id)
			}
		}
	}
}

// after is the part of a list behind an entry, all of it if there is none.
func after(list []string, entry string) []string {
	for i, id := range list {
		if id == entry {
			return list[i+1:]
		}
	}
	return list
}
