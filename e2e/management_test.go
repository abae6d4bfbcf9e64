package e2e

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
)

func TestMetricsOfRequestsKeysAndDatabase(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, database string) {
		s := startOn(t, database)
		s.awaitReady(t)
		s.as(t, reader).get("/books").want(200)
		s.as(t, reader).get("/books/" + cleanCode).want(200)
		s.as(t, reader).get("/users").want(403)
		s.with(t, nobody).get("/books").want(401)
		s.with(t, s.idp.Mint(t, testidp.Claims{"exp": 1})).get("/books").want(401)
		s.as(t, reader).call("BREW", "/books", nil).want(405)

		names := s.metricNames(t)
		for _, name := range []string{"library_http_requests_total", "library_http_request_duration_seconds",
			"library_http_requests_in_flight", "library_http_requests_queued", "library_http_requests_overloaded_total", "library_token_checks_total",
			"library_keyset_age_seconds", "library_keyset_keys", "library_keyset_fetches_total", "library_keyset_fetch_failures_total",
			"library_database_connections_open", "library_database_connections_in_use", "library_database_waits_total",
			"library_database_wait_seconds_total", "library_changes_waiting_seconds", "go_goroutines", "process_resident_memory_bytes"} {
			if !slices.Contains(names, name) {
				t.Errorf("there is no %s", name)
			}
		}
		lines := s.metricLines(t, "library_")
		for _, line := range []string{
			`library_http_requests_total{method="GET",route="/books",status="200"} 1`,
			`library_http_requests_total{method="GET",route="/books/{id}",status="200"} 1`,
			`library_http_requests_total{method="GET",route="/users",status="403"} 1`,
			`library_http_requests_total{method="GET",route="",status="401"} 2`,
			`library_http_requests_total{method="other",route="",status="405"} 1`,
			`library_token_checks_total{result="expired"} 1`,
			`library_token_checks_total{result="missing_token"} 1`,
			`library_keyset_fetches_total 1`,
			`library_keyset_fetch_failures_total 0`,
		} {
			if !slices.Contains(lines, line) {
				t.Errorf("there is no line %s in\n%s", line, strings.Join(lines, "\n"))
			}
		}
		if age := s.metricLines(t, "library_keyset_age_seconds "); len(age) != 1 || !regexp.MustCompile(` [0-9.e-]+$`).MatchString(age[0]) || strings.HasSuffix(age[0], " -1") {
			t.Errorf("age of the key set: %v", age)
		}
	})
}

func TestReadinessNoticesThatTheDatabaseIsGone(t *testing.T) {
	t.Parallel()
	relay := newRelay(t)
	s := startWith(t, testidp.New(t), "--database", relay.database, "--sample-data")
	s.mayLogErrors = true
	s.awaitReady(t)
	s.as(t, reader).get("/books").want(200)

	relay.cut()
	status, body := s.manage(t, "/readyz")
	if status != 503 || !strings.Contains(body, "database: ") {
		t.Errorf("/readyz: %d %q; want 503 and the reason", status, body)
	}
	if strings.Contains(body, relay.password) {
		t.Errorf("/readyz shows the password: %s", body)
	}
	r := s.as(t, reader).get("/books").want(503).wantCode("unavailable")
	if strings.Contains(string(r.Body), "dial") || strings.Contains(string(r.Body), "SQL") {
		t.Errorf("the answer shows inner details: %s", r.Body)
	}
	relay.repair()
	s.awaitReady(t)
	s.as(t, reader).get("/books").want(200)
}

func TestMetricsAndLogSayWhatRuns(t *testing.T) {
	t.Parallel()
	idp := testidp.New(t)
	s := startWith(t, idp, "--database", emptySQLite(t))
	s.awaitReady(t)
	if log := s.Log.String(); !strings.Contains(log, "msg=starting version=") {
		t.Errorf("the log does not say what runs:\n%s", log)
	}
	if _, body := s.manage(t, "/metrics"); !regexp.MustCompile(`(?m)^library_build_info\{goversion="go1[^"]*",revision="[^"]*",version="[^"]+"\} 1$`).MatchString(body) {
		t.Errorf("no library_build_info in\n%s", body)
	}
}
