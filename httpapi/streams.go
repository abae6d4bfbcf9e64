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
	maxBehind      = 10_000           // events that a stream may be late
)

// streams is all event streams of the process, and the one watch that they
// share while there are any.
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
	watch  *watch // nil when nobody needs it
}

func newStreams(service *library.Service, metrics *Metrics, log *slog.Logger) *streams {
	s := &streams{
		service: service, metrics: metrics, log: log, byUser: make(map[string]int),
		keepAlive: keepAliveEvery, most: maxStreams, mostOwn: maxUserStreams,
	}
	s.stopping, s.stop = context.WithCancel(context.Background())
	return s
}

// enter makes room for a stream of that user. Whoever enters must leave.
func (s *streams) enter(user string) error {
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

func (s *streams) leave(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if s.byUser[user]--; s.byUser[user] == 0 {
		delete(s.byUser, user)
	}
	s.metrics.streams.Dec()
}

// join returns the watch, which is begun for the first. Whoever joins must
// part.
func (s *streams) join(ctx context.Context) (*watch, error) {
	s.mu.Lock()
	if s.watch == nil || s.watch.latest.Load().lost {
		s.watch = newWatch(s.service, s.log)
	}
	w := s.watch
	w.streams++
	s.mu.Unlock()
	var err error
	select {
	case <-w.begun:
		err = w.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.part(w)
		return nil, err
	}
	return w, nil
}

// part stops a watch that nobody needs any more, or that could not begin.
func (s *streams) part(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.streams--
	failed := false
	select {
	case <-w.begun:
		failed = w.err != nil
	default:
	}
	if w.streams > 0 && !failed {
		return
	}
	w.stop()
	if s.watch == w {
		s.watch = nil
	}
}

// EndStreams ends all event streams, now and for good: the server is stopping,
// and they would not end by themselves.
func (s *Server) EndStreams() { s.streams.stop() }
