package housekeeping_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.org/library/housekeeping"
	"example.org/library/internal/testkit"
	"example.org/library/service"
)

// observed is a worker of which a test sees everything.
type observed struct {
	log      testkit.Buffer
	registry *prometheus.Registry
	runs     atomic.Int64
	stop     func()
}

// observe starts a worker that does what a test says: it gets the number of the run.
func observe(t *testing.T, keep func(ctx context.Context, run int64) (service.Housekeeping, error)) *observed {
	t.Helper()
	o := &observed{registry: prometheus.NewRegistry()}
	o.stop = housekeeping.Start(housekeeping.Config{
		Run:      func(ctx context.Context) (service.Housekeeping, error) { return keep(ctx, o.runs.Add(1)) },
		Interval: time.Millisecond, Logger: slog.New(slog.NewTextHandler(&o.log, nil)), Metrics: o.registry,
	})
	t.Cleanup(o.stop)
	return o
}

// await waits until the worker has begun that run.
func (o *observed) await(t *testing.T, run int64) {
	t.Helper()
	testkit.Eventually(t, "the worker runs again", func() bool { return o.runs.Load() >= run })
}

// metric is the value of one of the worker's metrics.
func (o *observed) metric(t *testing.T, name string) float64 {
	t.Helper()
	recorder := httptest.NewRecorder()
	promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{}).ServeHTTP(recorder, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(recorder.Body.String()) {
		if text, ok := strings.CutPrefix(line, "library_housekeeping_"+name+" "); ok {
			value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			testkit.NoError(t, err)
			return value
		}
	}
	t.Fatalf("there is no metric %s", name)
	return 0
}

func TestAWorkerReportsWhatItHasDone(t *testing.T) {
	t.Parallel()
	began := time.Now()
	o := observe(t, func(_ context.Context, run int64) (service.Housekeeping, error) {
		if run == 1 {
			return service.Housekeeping{Ran: true, Settled: 3, Forgotten: 4, Behind: 90 * time.Second}, nil
		}
		return service.Housekeeping{}, nil // another process is at it
	})
	o.await(t, 3)
	o.stop()
	for name, want := range map[string]float64{"books_settled_total": 3, "records_forgotten_total": 4, "behind_seconds": 90, "failures_total": 0} {
		if got := o.metric(t, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if last := o.metric(t, "last_run_timestamp_seconds"); last < float64(began.Unix()) || last > float64(time.Now().Unix()+1) {
		t.Errorf("the last run was at %v", last)
	}
	text := o.log.String()
	if strings.Count(text, "\n") != 1 || !strings.Contains(text, "books=3 forgotten=4 behind=1m30s") {
		t.Errorf("the log is %q", text)
	}
}

func TestAWorkerThatIsNeverAtWorkHasNeverRun(t *testing.T) {
	t.Parallel()
	o := observe(t, func(context.Context, int64) (service.Housekeeping, error) { return service.Housekeeping{}, nil })
	o.await(t, 3)
	o.stop()
	if last := o.metric(t, "last_run_timestamp_seconds"); last != 0 || o.log.String() != "" {
		t.Errorf("it ran at %v and says %s", last, &o.log)
	}
}

func TestAFailureIsCountedAndTriedAgain(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"an error": func() error { return errors.New("no route") },
		"a panic":  func() error { panic("no route") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := observe(t, func(_ context.Context, run int64) (service.Housekeeping, error) {
				if run <= 3 {
					return service.Housekeeping{}, fail()
				}
				return service.Housekeeping{Ran: true}, nil
			})
			o.await(t, 6)
			o.stop()
			if got := o.metric(t, "failures_total"); got != 3 {
				t.Errorf("%v failures, want 3", got)
			}
			if o.metric(t, "last_run_timestamp_seconds") == 0 {
				t.Error("it does not say that it has recovered")
			}
			if n := strings.Count(o.log.String(), "housekeeping failed"); n != 1 {
				t.Errorf("one outage is in the log %d times", n)
			}
		})
	}
}

func TestTooLittleTimeIsNoFailureWhileSomethingGetsDone(t *testing.T) {
	t.Parallel()
	o := observe(t, func(_ context.Context, run int64) (service.Housekeeping, error) {
		return service.Housekeeping{Ran: true, Settled: int(2 - run%2)}, context.DeadlineExceeded
	})
	o.await(t, 4)
	o.stop()
	if failed := o.metric(t, "failures_total"); failed != 0 || !strings.Contains(o.log.String(), "finished=false") {
		t.Errorf("%v failures; %s", failed, &o.log)
	}
}

func TestStoppingWaitsForTheWorkerAndEndsItsWork(t *testing.T) {
	t.Parallel()
	var done atomic.Bool
	o := observe(t, func(ctx context.Context, _ int64) (service.Housekeeping, error) {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) > 10*time.Minute {
			t.Error("its time is not bounded")
		}
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond)
		done.Store(true)
		return service.Housekeeping{}, ctx.Err()
	})
	o.await(t, 1)
	o.stop()
	if !done.Load() {
		t.Error("it is still at work")
	}
	if o.metric(t, "failures_total") != 0 || o.log.String() != "" {
		t.Errorf("being stopped is no failure: %s", &o.log)
	}
	if n := o.runs.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}

// quiet is for workers of which nothing is to be read.
func quiet() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }
