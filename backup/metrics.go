package backup

import "github.com/prometheus/client_golang/prometheus"

// metrics are those of scheduled backups.
type metrics struct {
	lastSuccess prometheus.Gauge
	lastFailure prometheus.Gauge
	size        prometheus.Gauge
	failures    prometheus.Counter
}

func newMetrics(registry prometheus.Registerer) *metrics {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: "library_backup_" + name, Help: help})
	}
	m := &metrics{
		lastSuccess: gauge("last_success_timestamp_seconds", "When the newest backup in the folder was made, by whichever process; 0 for never."),
		lastFailure: gauge("last_failure_timestamp_seconds", "When a backup of this process last failed; 0 for never."),
		size:        gauge("size_bytes", "Size of the newest backup in the folder."),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "library_backup_failures_total", Help: "Backups of this process that failed."}),
	}
	registry.MustRegister(m.lastSuccess, m.lastFailure, m.size, m.failures)
	return m
}
