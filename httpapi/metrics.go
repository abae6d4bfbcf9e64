package httpapi

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are the metrics of the API for Prometheus.
type Metrics struct {
	requests   *prometheus.CounterVec
	duration   *prometheus.HistogramVec
	streams    prometheus.Gauge
	inFlight   *prometheus.GaugeVec
	queued     *prometheus.GaugeVec
	overloaded *prometheus.CounterVec
	checks     *prometheus.CounterVec
	lookups    *prometheus.CounterVec
	conflicts  prometheus.Counter
	accepted   prometheus.Counter // checks with the result ok
	series     sync.Map           // answerLabels → *answerSeries: finding them anew costs more than counting
}

type answerLabels struct {
	route, method string
	status        int
}

type answerSeries struct {
	count prometheus.Counter
	took  prometheus.Observer
}

// NewMetrics registers the API's metrics.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "library_http_requests_total",
			Help: "Requests that were answered, by route, method and status. The route is empty if the request was refused before routing.",
		}, []string{"route", "method", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "library_http_request_duration_seconds",
			Help:    "Time from the start of a request to the end of its answer, without event streams.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "status"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "library_event_streams",
			Help: "Number of event streams that are open.",
		}),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "library_http_requests_in_flight",
			Help: "Requests that are being worked on now, by kind. Not counted: requests that wait for their client, answers from the response cache, imports and event streams.",
		}, []string{"kind"}),
		queued: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "library_http_requests_queued",
			Help: "Requests that wait in the queue because the limit of requests in flight is reached, by kind.",
		}, []string{"kind"}),
		overloaded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "library_http_requests_overloaded_total",
			Help: "Requests that were refused by load shedding (503 overloaded), by kind: too many were waiting, or for too long.",
		}, []string{"kind"}),
		checks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "library_token_checks_total",
			Help: "Credentials that were checked, by result: ok, or the code of the refusal.",
		}, []string{"result"}),
		lookups: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "library_lookups_total",
			Help: "Questions about an ISBN to other catalogues, by source and outcome: found, unknown, failed, or kept if an answer of the last day was used.",
		}, []string{"source", "outcome"}),
	}
	m.conflicts = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "library_subject_conflicts_total",
		Help: "Requests that were refused because the record with their e-mail address is tied to another subject (--bind-subject). 0 unless an address was given to another person, or an account was made anew.",
	})
	m.accepted = m.checks.WithLabelValues("ok")
	registry.MustRegister(m.requests, m.duration, m.streams, m.checks, m.inFlight, m.queued, m.overloaded, m.conflicts, m.lookups)
	return m
}

// LookedUp counts a question to another catalogue.
func (m *Metrics) LookedUp(source, outcome string) { m.lookups.WithLabelValues(source, outcome).Inc() }

func (m *Metrics) answered(e *Event) {
	labels := answerLabels{e.Route, e.Method, e.Status}
	series, ok := m.series.Load(labels)
	if !ok {
		status := strconv.Itoa(e.Status)
		series, _ = m.series.LoadOrStore(labels, &answerSeries{
			count: m.requests.WithLabelValues(e.Route, e.Method, status),
			took:  m.duration.WithLabelValues(e.Route, e.Method, status),
		})
	}
	s := series.(*answerSeries)
	s.count.Inc()
	if !e.Stream {
		s.took.Observe(e.Took.Seconds())
	}
}

func (m *Metrics) refused(result string) { m.checks.WithLabelValues(result).Inc() }
