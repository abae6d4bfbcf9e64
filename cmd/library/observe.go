package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/sqlstore"
)

// logs is the program's log.
type logs struct {
	*slog.Logger
	took func(time.Duration) slog.Attr // the form of a duration in this format
}

func newLogs(w io.Writer, format string, level slog.Level) *logs {
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return &logs{slog.New(slog.NewJSONHandler(w, options)), func(d time.Duration) slog.Attr {
			return slog.Float64("tookMs", float64(d.Microseconds())/1e3)
		}}
	}
	return &logs{slog.New(slog.NewTextHandler(w, options)), func(d time.Duration) slog.Attr {
		return slog.String("took", fmt.Sprintf("%d.%03dms", d.Microseconds()/1e3, d.Microseconds()%1e3))
	}}
}

func (l *logs) request(e *httpapi.Event) {
	ctx := context.Background()
	if !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	r := slog.NewRecord(e.Time, slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.String("requestId", e.RequestID), slog.String("method", e.Method), slog.String("route", e.Route),
		slog.Int("status", e.Status), l.took(e.Took), slog.Int("bytes", e.Bytes),
		slog.String("user", e.User), slog.String("code", e.Code), slog.String("remote", e.Remote))
	l.Handler().Handle(ctx, r)
}

func newRegistry() *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	thisBuild().register(registry)
	return registry
}

func registerDatabase(registry prometheus.Registerer, store *sqlstore.Store) {
	gauge(registry, "library_database_connections_open", "Open connections to the database.",
		func() float64 { return float64(store.Stats().OpenConnections) })
	gauge(registry, "library_database_connections_in_use", "Connections to the database that are in use now.",
		func() float64 { return float64(store.Stats().InUse) })
	counter(registry, "library_database_waits_total", "How often a request had to wait for a free connection to the database.",
		func() float64 { return float64(store.Stats().WaitCount) })
	counter(registry, "library_database_wait_seconds_total", "Seconds that requests have waited for a free connection to the database, in total.",
		func() float64 { return store.Stats().WaitDuration.Seconds() })
}

// registerKeySet adds the metrics of the identity provider's keys.
func registerKeySet(registry prometheus.Registerer, keys *auth.KeySet) {
	gauge(registry, "library_keyset_age_seconds", "Age of the identity provider's key set in use; -1 if none was ever fetched.",
		func() float64 {
			if age := keys.Stats().Age; age >= 0 {
				return age.Seconds()
			}
			return -1
		})
	gauge(registry, "library_keyset_keys", "Number of usable keys in the identity provider's key set.",
		func() float64 { return float64(keys.Stats().Keys) })
	counter(registry, "library_keyset_fetches_total", "How often the identity provider's key set was fetched.",
		func() float64 { return float64(keys.Stats().Fetches) })
	counter(registry, "library_keyset_fetch_failures_total", "How often fetching the identity provider's key set failed or gave no usable key.",
		func() float64 { return float64(keys.Stats().Failures) })
}

func registerUserinfo(registry prometheus.Registerer, userinfo *auth.Userinfo) {
	counter(registry, "library_userinfo_requests_total", "How often the identity provider's userinfo endpoint was asked.",
		func() float64 { asked, _ := userinfo.Asked(); return float64(asked) })
	counter(registry, "library_userinfo_failures_total", "How often the identity provider's userinfo endpoint gave no usable answer.",
		func() float64 { _, failed := userinfo.Asked(); return float64(failed) })
}

func gauge(registry prometheus.Registerer, name, help string, value func() float64) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func counter(registry prometheus.Registerer, name, help string, value func() float64) {
	registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, value))
}

// How often to look for held back events, how long they may last before a warning, and how often
// it is repeated.
const (
	watchEvery    = 15 * time.Second
	waitsTooLong  = 30 * time.Second
	logWaitsEvery = 5 * time.Minute
)

// eventWatch reports the open transaction that holds back events.
type eventWatch struct {
	ask    func(context.Context) (sqlstore.Waiting, error)
	logger *slog.Logger
	every  time.Duration

	waited      atomic.Int64 // a time.Duration
	transaction int64        // that holds back events; 0 if there is none
	since       time.Time    // when it was first seen
	logged      time.Time    // when it was last logged
}

// watchEvents watches until the context ends.
func watchEvents(ctx context.Context, store *sqlstore.Store, registry prometheus.Registerer, logger *slog.Logger) {
	w := &eventWatch{ask: store.EventsWaitFor, logger: logger, every: watchEvery}
	gauge(registry, "library_changes_waiting_seconds",
		"Age of the oldest open transaction that holds back events; 0 if there is none.", w.value)
	go w.run(ctx)
}

func (w *eventWatch) value() float64 { return time.Duration(w.waited.Load()).Seconds() }

func (w *eventWatch) run(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		w.look(ctx, time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// look asks the database once. Its errors are reported elsewhere.
func (w *eventWatch) look(ctx context.Context, now time.Time) {
	found, err := w.ask(ctx)
	if err != nil {
		return
	}
	if found.Transaction != w.transaction {
		w.transaction, w.since = found.Transaction, now
	}
	waited := found.For
	if found.Transaction != 0 { // the server may not say since when it is open
		waited = max(waited, now.Sub(w.since))
	}
	w.waited.Store(int64(waited))
	if waited < waitsTooLong || now.Sub(w.logged) < logWaitsEvery {
		return
	}
	w.logged = now
	w.logger.Warn("events wait for a transaction that is still open; end it, or they are dropped when there are too many",
		"waited", waited.Round(time.Second), "for", found)
}

// startTracing sends a trace of every request to where the standard
// OpenTelemetry variables say, over OTLP/HTTP. Without them it does nothing,
// and costs nothing.
func startTracing(ctx context.Context, log *slog.Logger) (stop func(), wrap func(http.Handler) http.Handler, err error) {
	if !tracingWanted() {
		return func() {}, func(h http.Handler) http.Handler { return h }, nil
	}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("tracing", "error", err) }))
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT: %w", err)
	}
	described, err := resource.Merge(
		resource.NewSchemaless(attribute.String("service.name", "library"), attribute.String("service.version", thisBuild().version)),
		resource.Environment()) // OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(discreet{exporter}), trace.WithResource(described))
	stop = func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("tracing", "error", err)
		}
	}
	wrap = func(h http.Handler) http.Handler {
		return otelhttp.NewHandler(h, "request",
			otelhttp.WithTracerProvider(provider),
			otelhttp.WithPropagators(propagation.TraceContext{}),
			otelhttp.WithSpanNameFormatter(spanName))
	}
	return stop, wrap, nil
}

func tracingWanted() bool {
	if os.Getenv("OTEL_SDK_DISABLED") == "true" || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" ||
		os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != "" ||
		os.Getenv("OTEL_TRACES_EXPORTER") == "otlp"
}

// spanName is the method and the route: never the path, and no method but the
// known ones.
func spanName(_ string, r *http.Request) string {
	if r.Pattern != "" {
		return r.Method + " " + r.Pattern
	}
	return httpapi.KnownMethod(r.Method)
}

// discreet leaves untrusted input (path, user agent, forwarded address, …) out of the traces, as
// the log does.
type discreet struct{ trace.SpanExporter }

func (d discreet) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	out := make([]trace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		out[i] = discreetSpan{s}
	}
	return d.SpanExporter.ExportSpans(ctx, out)
}

type discreetSpan struct{ trace.ReadOnlySpan }

// harmless are the exported attributes of a span.
var harmless = []attribute.Key{
	"http.request.method", "http.route", "http.response.status_code", "http.request.body.size", "http.response.body.size",
	"url.scheme", "network.protocol.name", "network.protocol.version", "network.peer.address", "network.peer.port", "error.type",
}

func (s discreetSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(a attribute.KeyValue) bool {
		return !slices.Contains(harmless, a.Key)
	})
}
