package notice

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics belong to a worker. Of several processes, the one at work counts, and the others have no gauges.
type metrics struct {
	notices  *prometheus.GaugeVec
	oldest   *prometheus.GaugeVec // without labels, to be removable
	attempts *prometheus.CounterVec
	counted  time.Time
	took     time.Duration
}

// countShare is how much of its time a worker counts at most: the more notices there are, the longer it takes.
const countShare = 100

// The outcomes of attempts.
const (
	outcomeSent     = "sent"
	outcomeDeferred = "deferred"
	outcomeRefused  = "refused"
	outcomeServer   = "server"
)

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		notices: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "library_notices",
			Help: "Notices of the last 90 days by kind and state, when this process looked last."}, []string{"kind", "state"}),
		oldest: prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "library_notices_oldest_waiting_seconds",
			Help: "How long the oldest notice has been waiting, when this process looked last; 0 if none waits."}, nil),
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "library_mail_attempts_total",
			Help: "Attempts to send a mail: sent, deferred (tried again later), refused (for good), server (the mail server failed; tried again later)."}, []string{"outcome"}),
	}
	for _, o := range []string{outcomeSent, outcomeDeferred, outcomeRefused, outcomeServer} {
		m.attempts.WithLabelValues(o)
	}
	registry.MustRegister(m.notices, m.oldest, m.attempts)
	return m
}

func (m *metrics) attempt(o Outcome) {
	label := outcomeDeferred
	switch {
	case o.Failure == nil:
		label = outcomeSent
	case isServers(o):
		label = outcomeServer
	case o.Final:
		label = outcomeRefused
	}
	m.attempts.WithLabelValues(label).Inc()
}

// count counts the notices, unless it has done so a moment ago.
func (m *metrics) count(ctx context.Context, s *Service) error {
	begun := time.Now()
	if begun.Sub(m.counted) < countShare*m.took {
		return nil
	}
	counts, oldest, err := s.Counts(ctx)
	if err != nil {
		return err
	}
	m.clear()
	for by, n := range counts {
		m.notices.WithLabelValues(string(by.Kind), string(by.State)).Set(float64(n))
	}
	waiting := 0.0
	if !oldest.IsZero() {
		waiting = max(0, s.Now().Sub(oldest).Seconds())
	}
	m.oldest.WithLabelValues().Set(waiting)
	m.counted, m.took = begun, time.Since(begun)
	return nil
}

// clear removes the gauges, because another process counts by now.
func (m *metrics) clear() {
	m.notices.Reset()
	m.oldest.Reset()
	m.counted = time.Time{}
}
