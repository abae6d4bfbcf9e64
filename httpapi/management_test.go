package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/api"
	"example.org/library/auth"
	"example.org/library/httpapi"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore/engine"
)

func authConfig(w *world) auth.Config {
	return auth.Config{Issuer: w.idp.Issuer(), Audience: testidp.Audience}
}

func TestTheManagementListener(t *testing.T) {
	t.Parallel()
	good := httpapi.Check{Name: "database", Run: func(context.Context) error { return nil }}
	bad := httpapi.Check{Name: "keys", Run: func(context.Context) error { return errors.New("no key set was obtained yet") }}
	readOnly := httpapi.Check{Name: "database", Run: func(context.Context) error { return engine.ReadOnly(errors.New("the disk is full")) }}
	for _, c := range []struct {
		rule   string
		checks []httpapi.Check
		method string
		path   string
		status int
		body   string // "" is any
	}{
		{"it is alive", []httpapi.Check{bad}, "GET", "/healthz", 200, "ok\n"},
		{"it is ready when every check is good", []httpapi.Check{good, good}, "GET", "/readyz", 200, "ready\n"},
		{"a database that can only be read is no reason not to be ready", []httpapi.Check{good, readOnly}, "GET", "/readyz", 200, "ready, read-only\ndatabase: the disk is full\n"},
		{"unless something else is one", []httpapi.Check{readOnly, bad}, "GET", "/readyz", 503, "keys: no key set was obtained yet\ndatabase: the disk is full\n"},
		{"it says why it is not ready", []httpapi.Check{good, bad}, "GET", "/readyz", 503, "keys: no key set was obtained yet\n"},
		{"it shows the contract", nil, "GET", "/openapi.yaml", 200, string(api.OpenAPI)},
		{"it shows the metrics", nil, "GET", "/metrics", 200, ""},
		{"it shows nothing of the library", nil, "GET", "/library-server/books", 404, ""},
		{"it shows no page of its own", nil, "GET", "/", 404, ""},
		{"it shows nothing of the process", nil, "GET", "/debug/pprof/", 404, ""},
		{"its paths are exact", nil, "GET", "/metrics/", 404, ""},
		{"it changes nothing", nil, "POST", "/healthz", 405, ""},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			recorder := httptest.NewRecorder()
			httpapi.NewManagement(prometheus.NewRegistry(), c.checks).ServeHTTP(recorder, httptest.NewRequest(c.method, c.path, nil))
			if recorder.Code != c.status || c.body != "" && recorder.Body.String() != c.body {
				t.Errorf("%d %.200q, want %d %.200q", recorder.Code, recorder.Body, c.status, c.body)
			}
		})
	}
}

func TestWhoIsStoppingIsNotReadyAndAsksNobody(t *testing.T) {
	t.Parallel()
	hanging := httpapi.Check{Name: "database", Run: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	m := httpapi.NewManagement(prometheus.NewRegistry(), []httpapi.Check{hanging})
	m.Stopping()
	for path, want := range map[string]int{"/readyz": 503, "/healthz": 200} {
		recorder, began := httptest.NewRecorder(), time.Now()
		m.ServeHTTP(recorder, httptest.NewRequest("GET", path, nil))
		if recorder.Code != want || want == 503 && recorder.Body.String() != "stopping\n" {
			t.Errorf("%s: %d %q", path, recorder.Code, recorder.Body)
		}
		if took := time.Since(began); took > testkit.Bound(2*time.Second) {
			t.Errorf("%s took %v", path, took)
		}
	}
}

func TestTheContractIsShownToEveryCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.send(t, request{as: bruceWayne, path: "/openapi.yaml"}).want(t, 200, "")
	if string(a.body) != string(api.OpenAPI) || a.header.Get("Content-Type") != "application/yaml" {
		t.Errorf("Content-Type %q, %d bytes", a.header.Get("Content-Type"), len(a.body))
	}
	w.send(t, request{method: http.MethodGet, path: "/openapi.yaml"}).want(t, 401, "missing_token")
}
