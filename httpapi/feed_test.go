package httpapi_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.org/library"
	"example.org/library/internal/testkit"
)

// feeds counts the goroutines that read the changes.
func feeds() int {
	stacks := make([]byte, 4<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "feed.(*Feed).run")
}

// TestNoFeedWithoutStreams is not parallel: it counts the goroutines of all.
func TestNoFeedWithoutStreams(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		if w.api().HasFeed() {
			t.Fatal("the changes are read for nobody")
		}
		first, second := w.listen(t, request{as: bruceWayne}), w.listen(t, request{as: bruceBanner})
		first.wantBare("ready")
		second.wantBare("ready")
		testkit.Eventually(t, "one feed for two streams", func() bool { return feeds() == 1 })
		first.close()
		first.WantEnd()
		lent(cleanCode, bruceWayne)(t, w)
		second.want("borrowed", cleanCode, true)
		returned(cleanCode, bruceWayne)(t, w)
		second.want("returned", cleanCode, false)
		second.close()
		second.WantEnd()
		testkit.Eventually(t, "no feed without a stream", func() bool { return feeds() == 0 && !w.api().HasFeed() })
	}
}

// history is a store whose history can be out of order.
type history struct {
	library.Store
	failure atomic.Pointer[error]
	reads   atomic.Int64
}

func (h *history) over(s library.Store) library.Store { h.Store = s; return h }

func (h *history) set(err error) { h.failure.Store(&err) }

func (h *history) err() error {
	h.reads.Add(1)
	if err := h.failure.Load(); err != nil {
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
	testkit.Eventually(t, "it is tried again and again", func() bool { return h.reads.Load() > before+3 })
	h.set(nil)
	l.want("borrowed", cleanCode, true)
	if n := len(w.log.events(t, "changes cannot be read; event streams are silent until they can")); n != 1 {
		t.Errorf("%d events in the log about one outage", n)
	}
}

func TestAFeedThatCannotStartIsTriedAnew(t *testing.T) {
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
	l.WantEnd()
	h.set(nil)
	again := w.listen(t, request{as: bruceWayne})
	again.wantBare("ready")
	lent(cleanCode, bruceWayne)(t, w)
	again.want("borrowed", cleanCode, true)
}

// TestStreamsThatBeginAmidChangesMissNothing lets streams begin, and others
// resume, while books change all the time: what each of them receives is one
// piece of the same history.
func TestStreamsThatBeginAmidChangesMissNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.api().LimitStreams(1000, 1000)
	whole := w.listen(t, request{as: bruceWayne})
	whole.wantBare("ready")
	start := whole.Last
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
		history = append(history, whole.next().ID)
	}
	for i, l := range late {
		want := history
		if i%2 == 1 {
			l.wantBare("ready")
			want = after(history, l.Last)
		}
		for _, id := range want {
			if e := l.next(); e.ID != id {
				t.Fatalf("stream %d: got %+v, want the event %s", i, e, id)
			}
		}
	}
}

// after is the part of a list after an entry, all of it if there is none.
func after(list []string, entry string) []string {
	for i, id := range list {
		if id == entry {
			return list[i+1:]
		}
	}
	return list
}
