package webhook

import "github.com/prometheus/client_golang/prometheus"

// metrics are of this process, and by hook: the host of its address.
type metrics struct {
	attempts *prometheus.CounterVec // and by outcome: delivered, failed or gone
	givenUp  *prometheus.CounterVec
	oldest   *prometheus.GaugeVec
	off      *prometheus.GaugeVec
	gaps     prometheus.Counter
	failures prometheus.Counter
}

func newMetrics(registry prometheus.Registerer, hooks []string) *metrics {
	hook := []string{"hook"}
	m := &metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "library_webhook_attempts_total",
			Help: "Attempts to post an event, by hook and outcome."}, []string{"hook", "outcome"}),
		givenUp: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "library_webhook_events_given_up_total",
			Help: "Events given up because a receiver has not taken them for three days."}, hook),
		oldest: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "library_webhook_oldest_waiting_seconds",
			Help: "Age of the oldest event that a receiver has not taken; 0 if none waits, or another process is at work."}, hook),
		off: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "library_webhook_off",
			Help: "1 if the receiver has answered 410 and gets nothing more until the next start."}, hook),
		gaps: prometheus.NewCounter(prometheus.CounterOpts{Name: "library_webhook_gaps_total",
			Help: "How often changes were missed because nobody had collected them for too long."}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Name: "library_webhook_failures_total",
			Help: "How often the database could not be read or written for web hooks."}),
	}
	for _, name := range hooks {
		for _, outcome := range []string{outcomeDelivered, outcomeFailed, outcomeGone} {
			m.attempts.WithLabelValues(name, outcome)
		}
		m.givenUp.WithLabelValues(name)
		m.oldest.WithLabelValues(name)
		m.off.WithLabelValues(name)
	}
	registry.MustRegister(m.attempts, m.givenUp, m.oldest, m.off, m.gaps, m.failures)
	return m
}

const (
	outcomeDelivered = "delivered"
	outcomeFailed    = "failed"
	outcomeGone      = "gone"
)
