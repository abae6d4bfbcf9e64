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
	if _, err := w.alone(ctx); err != nil {
		return err
	}
	return w.metrics.count(ctx, w.Service)
}
