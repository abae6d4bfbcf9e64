package notice

import (
	"context"
	"time"
)

// SendOnce lets a worker look once.
func SendOnce(ctx context.Context, cfg Config) error { return SendInTurns(ctx, cfg, turnLasts) }

// SendInTurns does so with turns of another length.
func SendInTurns(ctx context.Context, cfg Config, turn time.Duration) error {
	w := &worker{Config: cfg, metrics: newMetrics(cfg.Metrics), turn: turn}
	_, err := w.alone(ctx)
	return err
}

// Looks returns what a worker does at every interval. It counts each time.
func Looks(cfg Config) func(context.Context) {
	w := &worker{Config: cfg, metrics: newMetrics(cfg.Metrics), turn: turnLasts}
	return func(ctx context.Context) {
		w.metrics.took = 0
		w.work(ctx)
	}
}
