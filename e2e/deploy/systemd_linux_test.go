package deploy

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/library/internal/testidp"
	"example.org/library/internal/testkit"
)

// units copies the units into a folder; the program is where the test has built it.
func units(t *testing.T) (dir string, paths []string) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{"library.service", "library.socket", "library-management.socket"} {
		var replace []string
		if name == "library.service" {
			replace = []string{"/usr/local/bin/library", binary}
		}
		paths = append(paths, write(t, dir, name, example(t, filepath.Join("systemd", name), replace...)))
	}
	return dir, paths
}

// analyze runs systemd-analyze, which needs no systemd that runs.
func analyze(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(program(t, "systemd-analyze"), args...)
	cmd.Env = append(os.Environ(), "SYSTEMD_UNIT_PATH="+dir+":", "SYSTEMD_COLORS=0", "SYSTEMD_EMOJI=0", "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestSystemdFindsNothingWrongWithTheUnits(t *testing.T) {
	t.Parallel()
	dir, paths := units(t)
	if out, err := analyze(t, dir, append([]string{"verify", "--man=no"}, paths...)...); err != nil || strings.Contains(out, "library") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTheUnitNamesAManualPageOfTheProgram(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`(?m)^Documentation=man:([a-z-]+)\(1\)$`).FindStringSubmatch(example(t, "systemd/library.service"))
	if found == nil {
		t.Fatal("the unit names no manual page")
	}
	dir := t.TempDir()
	if out, err := exec.Command(binary, "man", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, found[1]+".1")); err != nil {
		t.Error(err)
	}
}

func TestTheUnitIsExposedToLittle(t *testing.T) {
	t.Parallel()
	dir, paths := units(t)
	out, err := analyze(t, dir, "security", "--no-pager", "--offline=true", paths[0])
	level := regexp.MustCompile(`Overall exposure level for library.service: ([0-9.]+)`).FindStringSubmatch(out)
	if err != nil || level == nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if exposure, err := strconv.ParseFloat(level[1], 64); err != nil || exposure >= 2 {
		t.Errorf("systemd-analyze security says %s, wanted is less than 2.0:\n%s", level[1], out)
	}
}

// TestTheSocketUnitsNameWhatTheProgramTakes starts the program as systemd would for
// the first connection to one of the sockets, with the names that the units give.
func TestTheSocketUnitsNameWhatTheProgramTakes(t *testing.T) {
	t.Parallel()
	for file, lines := range map[string][]string{
		"library.socket":            {"ListenStream=9091\n", "FileDescriptorName=api\n", "Service=library.service\n"},
		"library-management.socket": {"ListenStream=127.0.0.1:9092\n", "FileDescriptorName=management\n", "Service=library.service\n"},
	} {
		for _, line := range lines {
			example(t, "systemd/"+file, line, line)
		}
	}
	config := example(t, "systemd/library.toml", "https://login.example.org/realms/main", testidp.New(t).Issuer(), `log-format = "json"`, "")
	n := newNetwork(t)
	args := []string{"--listen", n.at("11:9091"), "--listen", n.at("11:9092"), "--fdname", "api:management",
		binary, "serve", "--config", write(t, t.TempDir(), "library.toml", config)}
	cmd := exec.Command(program(t, "systemd-socket-activate"), args...)
	cmd.Dir = t.TempDir()
	p := testkit.Start(t, cmd)
	p.AwaitLog(t, regexp.MustCompile(`Listening on .*:9092`))
	resp, err := http.Get("http://" + n.at("11:9091") + basePath + "/me") // waits for the program
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("%v %v", resp, err)
	}
	if at := p.AwaitLog(t, listening); at != n.at("11:9091") {
		t.Errorf("it listens at %s", at)
	}
}
