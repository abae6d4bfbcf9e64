package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"example.org/library"
)

const (
	pollEvery   = 250 * time.Millisecond // a change is to be heard of within a second
	pollTimeout = 10 * time.Second
	changesPage = 500 // how many changes are read at a time
)

// moment is what was new at one look at the history. Moments are a chain that
// grows at one end: a watch adds to it, and each stream walks along it at its
// own pace. Nobody waits for anybody, and what all streams have passed is
// garbage. A stream that cannot be written to is cut off before the chain
// behind it gets long.
type moment struct {
	events []event
	number int           // of the events in the chain so far
	lost   bool          // the watch has lost the thread: begin anew
	passed chan struct{} // closed when there is a next one
	next   *moment
}

// event is a change, ready to be sent.
type event struct {
	library.Change
	text []byte // nil for what is not for callers
}

// watch follows the history for as long as there are streams: however many
// there are, the store is asked once.
type watch struct {
	service *library.Service
	log     *slog.Logger
	stop    context.CancelFunc
	begun   chan struct{} // closed when it has begun, or failed to
	err     error         // why it failed to
	latest  atomic.Pointer[moment]

	streams int // that need it; guarded by the mutex of the streams
}

func newWatch(service *library.Service, log *slog.Logger) *watch {
	ctx, stop := context.WithCancel(context.Background())
	w := &watch{service: service, log: log, stop: stop, begun: make(chan struct{})}
	w.latest.Store(&moment{passed: make(chan struct{})})
	go w.run(ctx)
	return w
}

// add puts a moment at the end of the chain.
func (w *watch) add(next *moment) {
	last := w.latest.Load()
	next.number = last.number + len(next.events)
	next.passed = make(chan struct{})
	w.latest.Store(next)
	last.next = next
	close(last.passed)
}

// run adds to the chain until it is stopped, or has lost the thread. Whoever
// looks at the history after it has begun, and goes on with the latest moment
// from before that look, misses nothing.
func (w *watch) run(ctx context.Context) {
	var at library.Position
	at, w.err = w.service.LastChange(ctx)
	close(w.begun)
	if w.err != nil {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for failed := false; ; {
		changes, err := w.look(ctx, at)
		switch {
		case errors.Is(err, library.ErrPositionLost):
			w.log.Warn("the history of changes was lost; event streams begin anew")
			w.add(&moment{lost: true})
			return
		case err != nil && !failed && ctx.Err() == nil:
			w.log.Warn("changes cannot be read; event streams are silent until they can", "error", err)
		case len(changes) > 0:
			at = changes[len(changes)-1].Position
			w.add(&moment{events: encodeEvents(changes)})
		}
		failed = err != nil
		if len(changes) == changesPage {
			continue // there may be more
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (w *watch) look(ctx context.Context, at library.Position) ([]library.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	return w.service.Changes(ctx, at, changesPage)
}
