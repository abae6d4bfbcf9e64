package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"time"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"example.org/library/httpapi"
)

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

// discreet leaves out of the traces what may hold untrusted input
// (path, user agent, forwarded address, …), as the log does.
type discreet struct{ trace.SpanExporter }

func (d discreet) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	out := make([]trace.ReadOnlySpan, len(spans))
	for i, s := range spans {
		out[i] = discreetSpan{s}
	}
	return d.SpanExporter.ExportSpans(ctx, out)
}

type discreetSpan struct{ trace.ReadOnlySpan }

// harmless are the attributes of a span that are exported.
var harmless = []attribute.Key{
	"http.request.method", "http.route", "http.response.status_code", "http.request.body.size", "http.response.body.size",
	"url.scheme", "network.protocol.name", "network.protocol.version", "network.peer.address", "network.peer.port", "error.type",
}

func (s discreetSpan) Attributes() []attribute.KeyValue {
	return slices.DeleteFunc(slices.Clone(s.ReadOnlySpan.Attributes()), func(a attribute.KeyValue) bool {
		return !slices.Contains(harmless, a.Key)
	})
}
