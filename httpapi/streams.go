package httpapi

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"example.org/library"
)

// Limits of event streams.
const (
	maxStreams     = 1000
	maxUserStreams = 20               // of one person, in all windows and on all devices
	keepAliveEvery = 10 * time.Second // so that nobody on the way takes silence for the end
	maxLag         = 10_000           // events that a stream may be late
)

// streams is all event streams of the process, and the one feed that they share
// while there are any.
type streams struct {
	service  *library.Service
	metrics  *Metrics
	log      *slog.Logger
	stopping context.Context // ends when no stream may go on
	stop     context.CancelFunc

	keepAlive time.Duration
	most      int
	mostOwn   int

	mu     sync.Mutex
	open   int
	byUser map[string]int
	feed   *feed // nil when nobody needs it
}

func newStreams(service *library.Service, metrics *Metrics, log *slog.Logger) *streams {
	s := &streams{
		service: service, metrics: metrics, log: log, byUser: make(map[string]int),
		keepAlive: keepAliveEvery, most: maxStreams, mostOwn: maxUserStreams,
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// acquire counts a stream of that user, if there may be one more. Whoever
// acquires must release.
func (s *streams) acquire(user string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byUser[user] >= s.mostOwn {
		return errTooManyOwn
	}
	if s.open >= s.most {
		return errTooManyAll
	}
	s.open++
	s.byUser[user]++
	s.metrics.streams.Inc()
	return nil
}

func (s *streams) release(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.byUser[user]--; s.byUser[user] == 0 {
		delete(s.byUser, user)
	}
	s.metrics.streams.Dec()
}

// subscribe returns the feed, which is started for the first subscriber. Whoever
// subscribes must unsubscribe.
func (s *streams) subscribe(ctx context.Context) (*feed, error) {
	s.mu.Lock()
	if s.feed == nil || s.feed.latest.Load().reset {
		s.feed = newFeed(s.service, s.log)
	}
	f := s.feed
	f.subscribers++
	s.mu.Unlock()
	var err error
	select {
	case <-f.started:
		err = f.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.unsubscribe(f)
		return nil, err
	}
	return f, nil
}

// unsubscribe stops a feed that nobody needs any more, or that could not start.
func (s *streams) unsubscribe(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	if s.feed == f {
		s.feed = nil
	}
}

// EndStreams ends all event streams, now and for good: the server is stopping,
// and they would not end by themselves.
func (s *Server) EndStreams() { s.streams.stop() }
