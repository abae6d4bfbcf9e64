package housekeeping

import (
	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
)

// metrics is what operators learn of a worker. Where several copies of the program
// run, the worker whose last run is the latest is the one at work.
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
		lastRun:   gauge("last_run_timestamp_seconds", "When this process has last done what happens by itself; 0 for never. One process at a time does it."),
		behind:    gauge("behind_seconds", "How late the first thing was done that was due, the last time that this process was at it."),
		settled:   counter("books_settled_total", "Books in which holds expired, or a copy was set aside, by themselves."),
		forgotten: counter("records_forgotten_total", "Past loans and holds that forgot their person."),
		failures:  counter("failures_total", "Times that this process could not finish."),
	}
	registry.MustRegister(m.lastRun, m.behind, m.settled, m.forgotten, m.failures)
	return m
}

func (m *metrics) report(done library.Housekeeping, err error) {
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
