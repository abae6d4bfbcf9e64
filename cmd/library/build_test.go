package main

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/internal/testkit"
)

func TestTheProgramSaysWhatItWasBuiltFrom(t *testing.T) {
	t.Parallel()
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.modified", Value: modified}}
	}
	for _, c := range []struct {
		rule string
		info *debug.BuildInfo
		want string
	}{
		{"a commit", &debug.BuildInfo{GoVersion: "go1.25", Settings: vcs("false")}, "1.2.0 (revision 0123456789ab), built with go1.25"},
		{"a commit with changes", &debug.BuildInfo{GoVersion: "go1.25", Settings: vcs("true")}, "1.2.0 (revision 0123456789ab, modified), built with go1.25"},
		{"go install", &debug.BuildInfo{GoVersion: "go1.25", Main: debug.Module{Version: "v1.2.0"}}, "1.2.0, built with go1.25"},
		{"nothing is known", nil, "1.2.0"},
	} {
		testkit.Equal(t, buildOf("1.2.0", c.info).String(), c.want, c.rule)
	}
}

// TestTheVersionIsTheSameEverywhere compares what repeats the version with version.txt.
func TestTheVersionIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	version := regexp.QuoteMeta(thisBuild().version)
	if !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(thisBuild().version) {
		t.Errorf("version.txt says %q", thisBuild().version)
	}
	for file, pattern := range map[string]string{
		"api/openapi.yaml":      `(?m)^info:\n(  .*\n)*?  version: ` + version + `$`,
		"web/package.json":      `(?m)^  "version": "` + version + `",$`,
		"web/package-lock.json": `\A\{\n  "name": "library-web",\n  "version": "` + version + `",`,
		"CHANGELOG.md":          `(?m)^## \[` + version + `\] - \d{4}-\d{2}-\d{2}$`,
	} {
		data, err := os.ReadFile("../../" + file)
		testkit.NoError(t, err)
		if !regexp.MustCompile(pattern).Match(data) {
			t.Errorf("%s does not say %s", file, thisBuild().version)
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
