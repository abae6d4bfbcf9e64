package main

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/sqlstore"
)

// How often to look whether events are held back, how long that may last before it is
// logged, and how often it is logged.
const (
	watchEvery    = 15 * time.Second
	waitsTooLong  = 30 * time.Second
	logWaitsEvery = 5 * time.Minute
)

// eventWatch reports to operators which open transaction holds back events.
type eventWatch struct {
	ask    func(context.Context) (sqlstore.Waiting, error)
	logger *slog.Logger
	every  time.Duration

	waited      atomic.Int64 // a time.Duration
	transaction int64        // that holds back events; 0 if there is none
	since       time.Time    // when it was first seen
	logged      time.Time    // when it was last logged
}

// watchEvents watches until the context ends.
func watchEvents(ctx context.Context, store *sqlstore.Store, registry prometheus.Registerer, logger *slog.Logger) {
	w := &eventWatch{ask: store.EventsWaitFor, logger: logger, every: watchEvery}
	gauge(registry, "library_changes_waiting_seconds",
		"Age of the oldest open transaction that holds back events; 0 if there is none.", w.value)
	go w.run(ctx)
}

func (w *eventWatch) value() float64 { return time.Duration(w.waited.Load()).Seconds() }

func (w *eventWatch) run(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		w.look(ctx, time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look asks the database once. Its errors are reported elsewhere.
func (w *eventWatch) look(ctx context.Context, now time.Time) {
	found, err := w.ask(ctx)
	if err != nil {
		return
	}
	if found.Transaction != w.transaction {
		w.transaction, w.since = found.Transaction, now
	}
	waited := found.For
	if found.Transaction != 0 { // the server may not say since when it is open
		waited = max(waited, now.Sub(w.since))
	}
	w.waited.Store(int64(waited))
	if waited < waitsTooLong || now.Sub(w.logged) < logWaitsEvery {
		return
	}
	w.logged = now
	w.logger.Warn("events wait for a transaction that is still open; end it, or they are dropped when there are too many",
		"waited", waited.Round(time.Second), "for", found)
}
