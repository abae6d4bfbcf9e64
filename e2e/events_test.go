package e2e

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// event is one line of the log.
type event map[string]any

func (e event) text(name string) string { s, _ := e[name].(string); return s }
func (e event) level() string           { return e.text("level") }

var textPair = regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*"|\S*)`)

// events reads the log, in either format.
func (s *server) events() []event {
	var all []event
	for line := range strings.Lines(s.Log.String()) {
		e := event{}
		if json.Unmarshal([]byte(line), &e) != nil {
			for _, pair := range textPair.FindAllStringSubmatch(line, -1) {
				e[pair[1]] = strings.Trim(pair[2], `"`)
			}
		}
		all = append(all, e)
	}
	return all
}

// metricLines returns the lines of /metrics that begin with the name.
func (s *server) metricLines(t testing.TB, name string) []string {
	t.Helper()
	status, body := s.manage(t, "/metrics")
	if status != 200 {
		t.Fatalf("/metrics: status %d", status)
	}
	var lines []string
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, name) {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// metricNames returns the names of all metrics.
func (s *server) metricNames(t testing.TB) []string {
	t.Helper()
	var names []string
	for _, line := range s.metricLines(t, "# TYPE ") {
		names = append(names, strings.Fields(line)[2])
	}
	return names
}

func basicCredentials(name, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(name + ":" + password))
}
