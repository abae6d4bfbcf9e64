// Package housekeeping runs the work without a request: holds that are not fetched expire, and past loans forget their
// person. It says when and how often; [service.Service.RunHousekeeping] does the work.
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

	// timeout is how long a worker works before it releases the lock. What is left then is done the next time. To
	// divide the titles of a million books on a busy machine takes minutes.
	timeout = 8 * time.Minute
)

// Config has the parts and settings of a worker.
type Config struct {
	Run      func(context.Context) (service.Housekeeping, error) // RunHousekeeping of a service
	Interval time.Duration                                       // 0 for the usual one
	Logger   *slog.Logger
	Metrics  prometheus.Registerer
}

// Start starts a worker, and returns a function to stop it. It looks for something to do at once, and then at an
// interval. Stopping waits until the worker no longer uses the store.
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
	failing bool // at the last run
}

// work does the work of this moment, and reports numbers, never people.
func (w *worker) work(ctx context.Context) {
	began := time.Now()
	done, err := w.run(ctx)
	if ctx.Err() != nil {
		return // other processes do the rest, or the next start
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

// run does the housekeeping within the timeout. A panic in it does not end the program with callers to serve.
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

// metrics are the metrics of a worker. Of several processes, the worker with the latest last run does the housekeeping.
type metrics struct {
	lastRun   prometheus.Gauge
	behind    prometheus.Gauge
	settled   prometheus.Counter
	forgotten prometheus.Counter
	failures  prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "library_housekeeping_" + name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "library_housekeeping_" + name, Help: help})
	}
	m := &metrics{
		lastRun:   gauge("last_run_timestamp_seconds", "Time of the last completed run in this process; 0 if there was none. Only one process at a time does the housekeeping."),
		behind:    gauge("behind_seconds", "How many seconds late the oldest due task was when this process did it in its last run."),
		settled:   counter("books_settled_total", "Books in which a hold expired or a copy was set aside for the next reader."),
		forgotten: counter("records_forgotten_total", "Past loans and holds from which the person was removed."),
		failures:  counter("failures_total", "Runs of the housekeeping in this process that failed."),
	}
	registry.MustRegister(m.lastRun, m.behind, m.settled, m.forgotten, m.failures)
	return m
}

func (m *metrics) report(done service.Housekeeping, err error) {
	m.settled.Add(float64(done.Settled))
	m.forgotten.Add(float64(done.Forgotten))
	if err != nil {
		m.failures.Inc()
		return
	}
	if done.Ran {
		m.lastRun.SetToCurrentTime()
		m.behind.Set(done.Behind.Seconds())
	}
}
