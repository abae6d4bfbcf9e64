// Package housekeeping runs the work that no request asks for: holds that are not
// fetched expire, and past loans forget their person. It says when and how often;
// [service.Service.RunHousekeeping] does the work.
//
// Every process has a worker. Only one of them is at work at a time, and when its
// process dies, another one goes on. Start reading at [Start].
package housekeeping

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/internal/periodic"
	"example.org/library/service"
)

const (
	// Interval is how often a worker looks for something to do.
	Interval = 30 * time.Second

	// timeout is how long a worker works before it releases the lock. What is left
	// then is done the next time. To divide the titles of a million books on a busy machine
	// takes minutes.
	timeout = 8 * time.Minute
)

// Config is what a worker needs.
type Config struct {
	Run      func(context.Context) (service.Housekeeping, error) // RunHousekeeping of a service
	Interval time.Duration                                       // 0 for the usual one
	Logger   *slog.Logger
	Metrics  prometheus.Registerer
}

// Start starts a worker, and returns what stops it. It looks for something to do
// at once, and then at an interval. Stopping waits until the worker no longer uses
// the store.
func Start(cfg Config) (stop func()) {
	if cfg.Interval == 0 {
		cfg.Interval = Interval
	}
	w := &worker{Config: cfg, metrics: newMetrics(cfg.Metrics)}
	return periodic.Start(w.Interval, w.work)
}

type worker struct {
	Config
	metrics *metrics
	failing bool // the last time that it was at work
}

// work does what there is to do now, and reports it: how much, never of whom.
func (w *worker) work(ctx context.Context) {
	began := time.Now()
	done, err := w.run(ctx)
	if ctx.Err() != nil {
		return // what was left is done by others, or after the next start
	}
	// As long as something gets done, too little time is no failure.
	unfinished := errors.Is(err, context.DeadlineExceeded) && done.Settled+done.Forgotten+done.Dropped > 0
	if unfinished {
		err = nil
	}
	w.metrics.report(done, err)
	if done.Settled+done.Forgotten > 0 {
		w.Logger.Info("housekeeping", "books", done.Settled, "forgotten", done.Forgotten,
			"behind", done.Behind.Round(time.Second), "took", time.Since(began).Round(time.Millisecond), "finished", err == nil && !unfinished)
	}
	if err != nil && !w.failing {
		w.Logger.Warn("housekeeping failed; it is tried again and again", "every", w.Interval, "error", err)
	}
	w.failing = err != nil
}

// run does the housekeeping within the timeout. A panic in it does not end the
// program, which has callers to serve.
func (w *worker) run(ctx context.Context) (done service.Housekeeping, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return w.Run(ctx)
}
