package housekeeping

import (
	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/service"
)

// metrics are those of a worker. Where several processes run, the worker with the
// latest last run is the one that does the housekeeping.
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
