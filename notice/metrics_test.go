package notice_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/notice"
)

// gauges are what a registry says of notices.
func gauges(t *testing.T, r *prometheus.Registry) string {
	t.Helper()
	families, err := r.Gather()
	testkit.NoError(t, err)
	var all []string
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if m.GetGauge() == nil {
				continue
			}
			text := strings.TrimPrefix(f.GetName(), "library_notices")
			for _, l := range m.GetLabel() {
				text += " " + l.GetValue()
			}
			all = append(all, fmt.Sprint(text, " ", m.GetGauge().GetValue()))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

func TestOneProcessCountsWhatWaitsAndWhatIsPaused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, o *office) {
		o.setAside("Emma", o.person("jane"))
		o.later(10 * time.Second)
		registry := prometheus.NewRegistry()
		cfg := config(o.mails, o.box.Open)
		cfg.Metrics = registry
		var log strings.Builder
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		look := notice.Looks(cfg)
		look(o.ctx)
		testkit.Equal(t, gauges(t, registry), " hold_ready waiting 1,_oldest_waiting_seconds 10")
		o.must(o.store.Tx(o.ctx, func(tx library.Tx) error { return tx.SaveOutbox(o.ctx, library.Outbox{Paused: true}) }))
		look(o.ctx)
		look(o.ctx)
		testkit.Equal(t, gauges(t, registry), " hold_ready paused 1,_oldest_waiting_seconds 10")
		if strings.Count(log.String(), "level=WARN") != 1 || !strings.Contains(log.String(), "library notices resume") {
			t.Errorf("the log says %s", &log)
		}
		ran, err := o.mails.Alone(o.ctx, func(ctx context.Context) error { look(ctx); return nil })
		if err != nil || !ran {
			t.Fatal(ran, err)
		}
		testkit.Equal(t, gauges(t, registry), "")
	})
}
