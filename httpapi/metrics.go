package httpapi

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts what the API does, for Prometheus.
type Metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	checks   *prometheus.CounterVec
}

// NewMetrics registers the API's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "library_http_requests_total",
			Help: "Requests answered, by route, method and status. An empty route is a request that was refused before routing.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "library_http_request_duration_seconds",
			Help:    "Time from the first line of a request to the end of its answer.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "status"}),
		checks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "library_token_checks_total",
			Help: "Credentials checked, by result: ok, or the reason of the refusal.",
		}, []string{"result"}),
	}
	registry.MustRegister(m.requests, m.duration, m.checks)
	return m
}

func (m *Metrics) answered(route, method string, status int, took time.Duration) {
	code := statusLabel(status)
	m.requests.WithLabelValues(route, method, code).Inc()
	m.duration.WithLabelValues(route, method, code).Observe(took.Seconds())
}

func (m *Metrics) tokenChecked(result string) { m.checks.WithLabelValues(result).Inc() }

func statusLabel(status int) string {
	if status == 200 {
		return "200"
	}
	return strconv.Itoa(status)
}
