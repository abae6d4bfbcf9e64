package check

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

// environment is what is in a file of the kind that compose reads.
func environment(t *testing.T, path string) types.Mapping {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	env := types.Mapping{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		env[name] = value
	}
	return env
}

func load(t *testing.T, env types.Mapping) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(context.Background(), types.ConfigDetails{
		WorkingDir: "../compose", ConfigFiles: []types.ConfigFile{{Filename: "../compose/compose.yaml"}}, Environment: env,
	})
}

func TestTheComposeFileFollowsItsSchema(t *testing.T) {
	project, err := load(t, environment(t, "../compose/.env.example"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"keycloak", "library1", "library2", "library3", "postgresql", "proxy"}
	if got := slices.Sorted(maps.Keys(project.Services)); !slices.Equal(got, want) {
		t.Errorf("services %v", got)
	}
	proxy, err := os.ReadFile("../compose/haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range project.Services {
		if !strings.HasPrefix(name, "library") {
			continue
		}
		if !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || s.MemLimit == 0 || len(s.Ports) > 0 {
			t.Errorf("%s has more rights than it needs, or is reachable past the proxy", name)
		}
		if s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) <= 20*time.Second {
			t.Errorf("%s has no time to stop", name)
		}
		if !strings.Contains(string(proxy), "server "+name+" "+name+":9091") {
			t.Errorf("the proxy does not know %s", name)
		}
	}
	for _, volume := range project.Services["proxy"].Volumes {
		if _, err := os.Stat(volume.Source); err != nil && !strings.HasSuffix(volume.Source, "library.pem") {
			t.Errorf("%v", err)
		}
	}
}

func TestNoPasswordHasADefault(t *testing.T) {
	all := environment(t, "../compose/.env.example")
	for name := range all {
		without := maps.Clone(all)
		delete(without, name)
		if _, err := load(t, without); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}
