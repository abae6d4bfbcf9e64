package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/library/internal/pgtest"
	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// promtool runs Prometheus' own tool in the folder of its files.
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(program(t, "promtool"), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

const prometheusFiles = "../../deploy/prometheus"

func TestPrometheusAcceptsItsFilesAndTheRulesFireWhenTheyShould(t *testing.T) {
	t.Parallel()
	promtool(t, prometheusFiles, "check", "config", "prometheus.yml")
	promtool(t, prometheusFiles, "check", "rules", "alerts.yml")
	promtool(t, prometheusFiles, "test", "rules", "alerts_test.yml")
}

func TestEachAlertIsTestedAndExplained(t *testing.T) {
	t.Parallel()
	tests, page := example(t, "prometheus/alerts_test.yml"), example(t, "../docs/operations.md")
	for _, found := range regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(example(t, "prometheus/alerts.yml"), -1) {
		if !strings.Contains(tests, `alertname="`+found[1]+`"`) {
			t.Errorf("no test lets %s fire", found[1])
		}
		if !strings.Contains(page, "`"+found[1]+"`") {
			t.Errorf("docs/operations.md does not say what to do about %s", found[1])
		}
	}
}

// dashboardQueries are the queries of the dashboard, as Grafana sends them.
func dashboardQueries(t *testing.T) (queries []string) {
	t.Helper()
	type target struct{ Expr string }
	var dashboard struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []target
		}
		Annotations struct{ List []target }
	}
	testkit.NoError(t, json.Unmarshal([]byte(example(t, "grafana/library.json")), &dashboard))
	targets := dashboard.Annotations.List
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", p.Title)
		}
		targets = append(targets, p.Targets...)
	}
	filled := strings.NewReplacer("$__rate_interval", "1m", "$instance", ".*")
	for _, g := range targets {
		queries = append(queries, filled.Replace(g.Expr))
	}
	return queries
}

func TestPrometheusUnderstandsEveryQueryOfTheDashboard(t *testing.T) {
	t.Parallel()
	rules := "groups:\n- name: dashboard\n  rules:\n"
	for i, query := range dashboardQueries(t) {
		rules += fmt.Sprintf("  - {record: \"dashboard:%d\", expr: %q}\n", i, query)
	}
	dir := t.TempDir()
	write(t, dir, "dashboard.yml", rules)
	promtool(t, dir, "check", "rules", "dashboard.yml")
}

// TestWhatIsWatchedIsThere compares the names in rules and dashboard with what a
// server shows that has everything turned on.
func TestWhatIsWatchedIsThere(t *testing.T) {
	t.Parallel()
	n, idp := newNetwork(t), testidp.New(t)
	dir := t.TempDir()
	cmd := exec.Command(binary, "serve", "--issuer", idp.Issuer(), "--database", pgtest.URL(t), "--sample-data",
		"--backup-every", "24h", "--backup-dir", filepath.Join(dir, "backups"),
		"--addr", n.at("11:9091"), "--management-addr", n.at("11:9092"))
	cmd.Dir = dir
	testkit.Start(t, cmd).AwaitLog(t, listening)
	if resp, err := http.Get("http://" + n.at("11:9091") + basePath + "/me"); err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Fatal(resp, err)
	}
	resp, err := http.Get("http://" + n.at("11:9092") + "/metrics")
	testkit.NoError(t, err)
	defer resp.Body.Close()
	shown, err := io.ReadAll(resp.Body)
	testkit.NoError(t, err)
	names := regexp.MustCompile(`\b(library|process|go)_\w+`)
	watched := names.FindAllString(example(t, "prometheus/alerts.yml")+strings.Join(dashboardQueries(t), "\n"), -1)
	slices.Sort(watched)
	for _, name := range slices.Compact(watched) {
		if !regexp.MustCompile(`(?m)^` + name + `[ {]`).Match(shown) {
			t.Errorf("there is no %s in /metrics", name)
		}
	}
	if len(watched) < 20 {
		t.Errorf("only %d names were found: %v", len(watched), watched)
	}
}
