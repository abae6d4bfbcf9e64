// Package feed reads the changes of the library once for all event streams of a process, and publishes them to the
// streams. Start reading at [Hub], which knows the streams; [Feed] is the reading.
package feed

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/service"
)

const (
	pollEvery = 250 * time.Millisecond // a change is to be published within a second

	// Timeout is for one query of the store.
	Timeout = 10 * time.Second
	// Page is how many changes are read at a time.
	Page = 500
)

// Batch is the changes of one poll. Batches are a linked list: the Feed appends to it, and each stream follows it at
// its own pace, so that no stream waits for another. What all streams have passed is garbage. A stream that cannot be
// written to must end before it holds a long part of the list.
type Batch struct {
	Events []Event
	Number int  // of the events in the list so far
	Reset  bool // changes may be missing from here on: streams begin anew

	linked chan struct{} // closed when next is set
	next   *Batch
}

// Linked is closed when there is a next batch.
func (b *Batch) Linked() <-chan struct{} { return b.linked }

// Next is the next batch, once it is linked.
func (b *Batch) Next() *Batch { return b.next }

// Feed reads the changes as long as there are streams, once for all of them.
type Feed struct {
	service *service.Service
	log     *slog.Logger
	stop    context.CancelFunc
	started chan struct{} // closed when it has started, or failed to
	err     error         // why it failed to
	latest  atomic.Pointer[Batch]

	subscribers int // guarded by the mutex of the Hub
}

func newFeed(lib *service.Service, log *slog.Logger) *Feed {
	ctx, stop := context.WithCancel(context.Background())
	f := &Feed{service: lib, log: log, stop: stop, started: make(chan struct{})}
	f.latest.Store(&Batch{linked: make(chan struct{})})
	go f.run(ctx)
	return f
}

// Latest is the end of the list. A stream with this batch, and then the history, misses nothing.
func (f *Feed) Latest() *Batch { return f.latest.Load() }

// publish appends a batch to the list.
func (f *Feed) publish(next *Batch) {
	last := f.latest.Load()
	next.Number = last.Number + len(next.Events)
	next.linked = make(chan struct{})
	f.latest.Store(next)
	last.next = next
	close(last.linked)
}

// run publishes changes until it is stopped, or until the store no longer has the place where it was.
func (f *Feed) run(ctx context.Context) {
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
			f.publish(&Batch{Reset: true})
			return
		case err != nil && !failed && ctx.Err() == nil:
			f.log.Warn("changes cannot be read; event streams are silent until they can", "error", err)
		case len(changes) > 0:
			at = changes[len(changes)-1].Position
			f.publish(&Batch{Events: Encode(changes)})
		}
		failed = err != nil
		if len(changes) == Page {
			continue // there may be more
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (f *Feed) poll(ctx context.Context, at library.Position) ([]library.Change, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	return f.service.Changes(ctx, at, Page)
}

// Event is a change, ready to be sent.
type Event struct {
	library.Change
	Text []byte // nil for an event of one person
}

// forEverybody are the kinds of changes published to all callers. Their names are also the names of the events.
var forEverybody = []library.ChangeKind{
	library.BookAdded, library.BookEdited, library.BookDeleted, library.BookBorrowed, library.BookReturned, library.BookChanged,
}

// Encode makes changes ready to be sent, once for all streams. Those of one
// person's loans and holds are left to the streams of this person.
func Encode(changes []library.Change) []Event {
	events := make([]Event, len(changes))
	for i, c := range changes {
		events[i].Change = c
		if slices.Contains(forEverybody, c.Kind) {
			data, _ := json.Marshal(api.Change{Identifier: c.ID, Borrowed: c.Borrowed, Available: c.Available}) // always marshals
			events[i].Text = Append(nil, string(c.Kind), c.Position, data)
		}
	}
	return events
}

// Append writes an event as the browsers' EventSource reads it. Neither names nor data have line breaks.
func Append(b []byte, kind string, at library.Position, data []byte) []byte {
	b = append(append(b, "event: "...), kind...)
	b = append(append(b, "\nid: "...), at.String()...)
	b = append(append(b, "\ndata: "...), data...)
	return append(b, "\n\n"...)
}
