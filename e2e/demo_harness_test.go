package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// demonstration is a running `library demo`.
type demonstration struct {
	*server
	text     string // what it printed when it was ready
	web, api string
	issuer   string
	temp     string // where it may put temporary files
}

// startDemo starts the demonstration on free ports.
func startDemo(t testing.TB, args ...string) *demonstration {
	t.Helper()
	temp := t.TempDir()
	d := &demonstration{temp: temp}
	d.server = launch(t, []string{"TMPDIR=" + temp}, append([]string{"demo", "--port", "0"}, args...)...)
	d.AwaitLog(t, regexp.MustCompile(`(Ctrl-C stops it.*\n)`))
	d.text = d.Log.String()
	d.web = d.printed(t, "web client")
	d.api = d.printed(t, "API")
	d.issuer = d.printed(t, "identity provider")
	d.root = strings.TrimSuffix(d.api, basePath)
	d.base = d.api
	return d
}

// printed returns the address in the table of addresses.
func (d *demonstration) printed(t testing.TB, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^  ` + name + ` +(http://localhost:[1-9]\d*\S*)$`).FindStringSubmatch(d.text)
	if found == nil {
		t.Fatalf("no address of the %s in:\n%s", name, d.text)
	}
	return found[1]
}

// lines returns the lines that are printed for pasting into a terminal.
func (d *demonstration) lines(t testing.TB) string {
	t.Helper()
	_, rest, _ := strings.Cut(d.text, "Get a token and list the books:\n\n")
	lines, _, found := strings.Cut(rest, "\n\n")
	if !found || !strings.Contains(lines, "curl") {
		t.Fatalf("nothing to paste in:\n%s", d.text)
	}
	return lines + "\n"
}

// terminal runs lines as if they were pasted into a terminal and returns what
// they print.
func terminal(t testing.TB, lines ...string) string {
	t.Helper()
	for _, program := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Fatalf("there is no %s here; run `make deps`", program)
		}
	}
	ctx := testkit.Context(t)
	cmd := exec.CommandContext(ctx, "bash", "--norc", "-s")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + cmd.Dir}
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || stderr.Len() > 0 {
		t.Fatalf("%v\n%s\nprinted: %s\nand as errors: %s", err, strings.Join(lines, "\n"), &stdout, &stderr)
	}
	return stdout.String()
}

// filesBelow lists the files below a folder.
func filesBelow(t testing.TB, folder string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if path != folder {
			files = append(files, path)
		}
		return err
	})
	testkit.NoError(t, err)
	return files
}
