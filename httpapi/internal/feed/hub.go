package feed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/service"
)

// Hub is all event streams of the process, and the one Feed for all of them while there are any.
type Hub struct {
	// Limits, set before the first stream.
	Most      int           // streams
	MostOwn   int           // streams of one person, in all windows and on all devices
	KeepAlive time.Duration // a comment is sent after this time without an event, so that no proxy closes the stream

	service *service.Service
	open    prometheus.Gauge
	log     *slog.Logger
	stopped context.Context // ends when no stream may go on
	stop    context.CancelFunc

	mu     sync.Mutex
	count  int
	byUser map[string]int
	feed   *Feed // nil when nobody needs it
}

// Why there may not be one more stream.
var (
	ErrTooManyOwn = errors.New("feed: too many streams of one person")
	ErrTooMany    = errors.New("feed: too many streams")
)

// NewHub returns a Hub without streams. The gauge counts them.
func NewHub(lib *service.Service, open prometheus.Gauge, log *slog.Logger) *Hub {
	h := &Hub{Most: 1000, MostOwn: 20, KeepAlive: 10 * time.Second, service: lib, open: open, log: log, byUser: make(map[string]int)}
	h.stopped, h.stop = context.WithCancel(context.Background())
	return h
}

// Stop ends all streams, now and for good.
func (h *Hub) Stop() { h.stop() }

// Stopped ends when no stream may go on.
func (h *Hub) Stopped() context.Context { return h.stopped }

// Acquire counts a stream of a user, if there may be one more: otherwise
// ErrTooManyOwn or ErrTooMany. Each success needs one Release.
func (h *Hub) Acquire(user string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byUser[user] >= h.MostOwn {
		return ErrTooManyOwn
	}
	if h.count >= h.Most {
		return ErrTooMany
	}
	h.count++
	h.byUser[user]++
	h.open.Inc()
	return nil
}

// Release gives back the place of Acquire.
func (h *Hub) Release(user string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count--
	if h.byUser[user]--; h.byUser[user] == 0 {
		delete(h.byUser, user)
	}
	h.open.Dec()
}

// Subscribe returns the Feed, and starts it for the first subscriber. Each success needs one Unsubscribe.
func (h *Hub) Subscribe(ctx context.Context) (*Feed, error) {
	h.mu.Lock()
	if h.feed == nil || h.feed.Latest().Reset {
		h.feed = newFeed(h.service, h.log)
	}
	f := h.feed
	f.subscribers++
	h.mu.Unlock()
	var err error
	select {
	case <-f.started:
		err = f.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		h.Unsubscribe(f)
		return nil, err
	}
	return f, nil
}

// Unsubscribe stops a Feed without subscribers, or after a failed start.
func (h *Hub) Unsubscribe(f *Feed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f.subscribers--
	failed := false
	select {
	case <-f.started:
		failed = f.err != nil
	default:
	}
	if f.subscribers > 0 && !failed {
		return
	}
	f.stop()
	if h.feed == f {
		h.feed = nil
	}
}

// IsReading reports whether there is a Feed.
func (h *Hub) IsReading() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.feed != nil
}
