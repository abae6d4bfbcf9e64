package notice

import "context"

// SendOnce lets a worker look once.
func SendOnce(ctx context.Context, cfg Config) error {
	w := &worker{Config: cfg, metrics: newMetrics(cfg.Metrics)}
	if _, err := w.alone(ctx); err != nil {
		return err
	}
	return w.metrics.count(ctx, w.Service)
}
