package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.org/library"
	"example.org/library/api"
)

// Check is one condition of a ready service.
type Check struct {
	Name string
	Run  func(context.Context) error
}

// ManagementPaths are the paths of the management listener alone.
var ManagementPaths = []string{"/healthz", "/readyz", "/metrics"}

// Management is the handler of the management listener, for operators and
// their tools. It is anonymous, so it belongs on an address for them alone.
type Management struct {
	mux      *http.ServeMux
	checks   []Check
	stopping atomic.Bool
}

// NewManagement returns a handler, ready when all checks are good.
func NewManagement(registry *prometheus.Registry, checks []Check) *Management {
	mux := http.NewServeMux()
	m := &Management{mux: mux, checks: checks}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { writeText(w, http.StatusOK, "ok\n") })
	mux.HandleFunc("GET /readyz", m.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /openapi.yaml", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/yaml")
		w.Write(api.OpenAPI)
	})
	return m
}

func (m *Management) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
	m.mux.ServeHTTP(w, r)
}

// Stopping makes it not ready for good: the server is about to end, and a load
// balancer is to send requests elsewhere.
func (m *Management) Stopping() { m.stopping.Store(true) }

// ready answers the question of a load balancer. A read-only database is no reason to say
// no: the other processes have the same one, and readers would be refused for nothing.
func (m *Management) ready(w http.ResponseWriter, r *http.Request) {
	if m.stopping.Load() {
		writeText(w, http.StatusServiceUnavailable, "stopping\n")
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), 3*time.Second)
	defer cancel()
	var failed, readOnly []string
	for _, c := range m.checks {
		err := c.Run(ctx)
		if errors.Is(err, library.ErrReadOnly) {
			readOnly = append(readOnly, c.Name+": "+err.Error())
		} else if err != nil {
			failed = append(failed, c.Name+": "+err.Error())
		}
	}
	switch {
	case len(failed) > 0:
		writeText(w, http.StatusServiceUnavailable, strings.Join(append(failed, readOnly...), "\n")+"\n")
	case len(readOnly) > 0:
		writeText(w, http.StatusOK, "ready, read-only\n"+strings.Join(readOnly, "\n")+"\n")
	default:
		writeText(w, http.StatusOK, "ready\n")
	}
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(text))
}
