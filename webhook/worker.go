package webhook

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Config configures a worker.
type Config struct {
	Hooks   *Service
	Targets []Target
	Secret  Secret
	People  bool // names the person of a loan or a hold
	Logger  *slog.Logger
	Metrics prometheus.Registerer

	times times // the zero value for the usual ones
}

// times are how often something is done.
type times struct {
	collect time.Duration // look for changes
	look    time.Duration // look for overdue loans, and for hooks of other processes
	turn    time.Duration // how long a process tells before others may; a lock of PostgreSQL lasts ten minutes
	again   time.Duration // try to have a turn, or the database after a failure
	trim    time.Duration
	save    time.Duration // a position, while one event follows the other
	post    time.Duration // the longest attempt
}

var usualTimes = times{
	collect: 250 * time.Millisecond, look: 10 * time.Second, turn: 5 * time.Minute, again: time.Second,
	trim: SaidEvery, save: time.Second, post: postTimeout,
}

// Start starts a worker, and returns a function to stop it. Stopping breaks off an attempt that is
// under way and waits until the worker no longer uses the store.
func Start(cfg Config) (stop func()) {
	if cfg.times == (times{}) {
		cfg.times = usualTimes
	}
	w := newWorker(cfg)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.run(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}

type worker struct {
	Config
	metrics   *metrics
	receivers []*receiver
	failing   bool // the database, the last time
	trimmed   time.Time
}

func newWorker(cfg Config) *worker {
	w := &worker{Config: cfg}
	names := make([]string, len(cfg.Targets))
	for i, t := range cfg.Targets {
		names[i] = t.Host()
		for n := 2; slices.Contains(names[:i], names[i]); n++ {
			names[i] = fmt.Sprintf("%s (%d)", t.Host(), n)
		}
	}
	w.metrics = newMetrics(cfg.Metrics, names)
	for i, t := range cfg.Targets {
		p := newPoster(t, cfg.Secret)
		p.timeout = cfg.times.post
		w.receivers = append(w.receivers, &receiver{
			worker: w, name: names[i], key: t.key(), poster: p, log: cfg.Logger.With("hook", names[i]), news: make(chan struct{}, 1),
		})
	}
	return w
}

// run is the life of a worker: it makes its hooks known, and then has its turns.
func (w *worker) run(ctx context.Context) {
	for !w.report(ctx, w.guard(func() error { return w.begin(ctx) })) && sleep(ctx, w.times.again) {
	}
	for ctx.Err() == nil {
		err := w.guard(func() error {
			_, err := w.Hooks.Alone(ctx, w.turn)
			return err
		})
		w.report(ctx, err)
		sleep(ctx, w.times.again)
	}
}

// begin collects first: earlier events are not for new hooks.
func (w *worker) begin(ctx context.Context) error {
	if err := w.collect(ctx); err != nil {
		return err
	}
	for _, r := range w.receivers {
		if err := r.begin(ctx); err != nil {
			return err
		}
	}
	return nil
}

// turn collects events, and posts them to each receiver at its own pace.
func (w *worker) turn(ctx context.Context) error {
	soft, end := context.WithTimeout(ctx, w.times.turn) // nothing is begun after its end
	defer end()
	var all sync.WaitGroup
	for _, r := range w.receivers {
		all.Go(func() { r.run(ctx, soft) })
	}
	err := w.guard(func() error { return w.follow(soft) })
	if soft.Err() != nil {
		err = nil // the turn was over in the middle of something
	}
	end()
	all.Wait()
	return err
}

// follow collects events until the turn ends.
func (w *worker) follow(ctx context.Context) error {
	collect, look := time.NewTicker(w.times.collect), time.NewTicker(w.times.look)
	defer collect.Stop()
	defer look.Stop()
	if err := w.look(ctx); err != nil {
		return err
	}
	for {
		if err := w.collect(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
			if err := w.look(ctx); err != nil {
				return err
			}
			if others, err := w.othersWait(ctx); others || err != nil {
				return err
			}
		case <-collect.C:
		}
	}
}

func (w *worker) collect(ctx context.Context) error {
	done, err := w.Hooks.Collect(ctx)
	if done.Lost {
		w.metrics.gaps.Inc()
		w.Logger.Warn("web hooks have missed changes, because nobody has collected them for too long; they go on with what happens from now on")
	}
	if done.Events > 0 {
		w.wake()
	}
	return err
}

func (w *worker) wake() {
	for _, r := range w.receivers {
		select {
		case r.news <- struct{}{}:
		default:
		}
	}
}

// look finds overdue loans, and now and then drops unneeded events.
func (w *worker) look(ctx context.Context) error {
	told, err := w.Hooks.TellOverdue(ctx)
	if told > 0 {
		w.wake()
	}
	if err != nil || time.Since(w.trimmed) < w.times.trim {
		return err
	}
	w.trimmed = time.Now()
	keys := make([]string, len(w.receivers))
	for i, r := range w.receivers {
		keys[i] = r.key
	}
	return w.Hooks.Trim(ctx, keys)
}

// othersWait reports whether another process has hooks unknown to this one: then they take turns.
func (w *worker) othersWait(ctx context.Context) (bool, error) {
	hooks, err := w.Hooks.InUse(ctx)
	return slices.ContainsFunc(hooks, func(h Hook) bool {
		return !slices.ContainsFunc(w.receivers, func(r *receiver) bool { return r.key == h.Key })
	}), err
}

// report says when the database fails and when it works again, and reports whether it does.
func (w *worker) report(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return true
	}
	if err != nil {
		w.metrics.failures.Inc()
		if !w.failing {
			w.Logger.Warn("web hooks cannot be told; it is tried again and again", "error", err)
		}
	}
	w.failing = err != nil
	return err == nil
}

// guard makes an error of a panic: the program has callers to serve.
func (w *worker) guard(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fn()
}

// sleep reports whether the context has not ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
