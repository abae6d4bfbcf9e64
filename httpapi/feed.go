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

// batch is the changes that one poll has found. Batches are a linked list: the
// feed appends to it, and each stream follows it at its own pace, so that no
// stream waits for another. What all streams have passed is garbage. A stream
// that cannot be written to is ended before it holds a long part of the list.
type batch struct {
	events []event
	number int           // of the events in the list so far
	reset  bool          // changes may be missing from here on: streams begin anew
	linked chan struct{} // closed when next is set
	next   *batch
}

// event is a change, ready to be sent.
type event struct {
	library.Change
	text []byte // nil for what is not for all callers
}

// feed reads the changes for as long as there are streams: however many there
// are, the store is asked once.
type feed struct {
	service *library.Service
	log     *slog.Logger
	stop    context.CancelFunc
	started chan struct{} // closed when it has started, or failed to
	err     error         // why it failed to
	latest  atomic.Pointer[batch]

	subscribers int // guarded by the mutex of the streams
}

func newFeed(service *library.Service, log *slog.Logger) *feed {
	ctx, stop := context.WithCancel(context.Background())
	f := &feed{service: service, log: log, stop: stop, started: make(chan struct{})}
	f.latest.Store(&batch{linked: make(chan struct{})})
	go f.run(ctx)
	return f
}

// publish appends a batch to the list.
func (f *feed) publish(next *batch) {
	last := f.latest.Load()
	next.number = last.number + len(next.events)
	next.linked = make(chan struct{})
	f.latest.Store(next)
	last.next = next
	close(last.linked)
}

// run publishes changes until it is stopped, or until the store no longer has
// the place where it was. Whoever takes the latest batch of a feed that has
// started, and reads the history after that, misses nothing.
func (f *feed) run(ctx context.Context) {
	var at library.Position
	at, f.err = f.service.LastChange(ctx)
	close(f.started)
	if f.err != nil {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for failed := false; ; {
		changes, err := f.poll(ctx, at)
		switch {
		case errors.Is(err, library.ErrPositionLost):
			f.log.Warn("the history of changes was lost; event streams begin anew")
			f.publish(&batch{reset: true})
			return
		case err != nil && !failed && ctx.Err() == nil:
			f.log.Warn("changes cannot be read; event streams are silent until they can", "error", err)
		case len(changes) > 0:
			at = changes[len(changes)-1].Position
			f.publish(&batch{events: encodeEvents(changes)})
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

func (f *feed) poll(ctx context.Context, at library.Position) ([]library.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
	defer cancel()
	return f.service.Changes(ctx, at, changesPage)
}
