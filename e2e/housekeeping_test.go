package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

func TestMetricsSayWhenHousekeepingRan(t *testing.T) {
	t.Parallel()
	began := time.Now().Truncate(time.Second)
	s := startWith(t, testidp.New(t), "--database", emptySQLite(t))
	s.awaitReady(t)
	testkit.Eventually(t, "it has run", func() bool {
		lines := s.metricLines(t, "library_housekeeping_last_run_timestamp_seconds ")
		if len(lines) != 1 {
			t.Fatalf("the metrics have %q", lines)
		}
		last, err := strconv.ParseFloat(strings.Fields(lines[0])[1], 64)
		testkit.NoError(t, err)
		return last >= float64(began.Unix())
	})
	for _, name := range []string{"behind_seconds", "books_settled_total", "records_forgotten_total", "failures_total"} {
		if lines := s.metricLines(t, "library_housekeeping_"+name+" "); len(lines) != 1 || !strings.HasSuffix(lines[0], " 0") {
			t.Errorf("%s: %q", name, lines)
		}
	}
}
