package main

import (
	"runtime/debug"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestTheProgramSaysWhatItWasBuiltFrom(t *testing.T) {
	t.Parallel()
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		rule, linked string
		info         *debug.BuildInfo
		want         string
	}{
		{"make", "v1.2.0-3-g0123456", &debug.BuildInfo{GoVersion: "go1.25", Settings: vcs("false"), Main: debug.Module{Version: "v0.0.0-2026"}},
			"v1.2.0-3-g0123456 (revision 0123456789ab), built with go1.25"},
		{"go install", "", &debug.BuildInfo{GoVersion: "go1.25", Main: debug.Module{Version: "v1.2.0"}}, "v1.2.0, built with go1.25"},
		{"go build with changes", "", &debug.BuildInfo{GoVersion: "go1.25", Settings: vcs("true"), Main: debug.Module{Version: "(devel)"}},
			"unknown (revision 0123456789ab, modified), built with go1.25"},
		{"nothing is known", "", nil, "unknown"},
	} {
		if got := buildOf(c.linked, c.info).String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.rule, got, c.want)
		}
	}
}

func TestAScraperSeesWhatRuns(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	build{version: "v1", revision: "abc", goVersion: "go1"}.register(registry)
	families, err := registry.Gather()
	if err != nil || len(families) != 1 || families[0].GetName() != "library_build_info" {
		t.Fatalf("%v, %v", families, err)
	}
	labels := map[string]string{}
	for _, label := range families[0].Metric[0].Label {
		labels[label.GetName()] = label.GetValue()
	}
	if labels["version"] != "v1" || labels["revision"] != "abc" || labels["goversion"] != "go1" || families[0].Metric[0].Gauge.GetValue() != 1 {
		t.Errorf("%v", families[0])
	}
}
