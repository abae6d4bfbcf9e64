package upgrade

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

// The two programs, and the source of the older one.
var newProgram, oldProgram, oldSource string

func TestMain(m *testing.M) {
	os.Exit(testkit.WithProgram(func(path string) int {
		newProgram = path
		dir, err := os.MkdirTemp("", "library-last-version-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		oldSource, oldProgram = filepath.Join(dir, "source"), filepath.Join(dir, "library")
		if err := buildLastVersion(oldSource, oldProgram); err != nil {
			fmt.Fprintf(os.Stderr, "the program of the last version, which e2e/upgrade/last-version names: %v\n", err)
			return 1
		}
		return m.Run()
	}))
}

// buildLastVersion puts the source of the last version into a folder and builds it.
func buildLastVersion(source, program string) error {
	text, err := os.ReadFile("last-version")
	if err != nil {
		return err
	}
	commit, err := parseLastVersion(string(text))
	if err != nil {
		return err
	}
	if _, err := run("", "git", "cat-file", "-e", commit+"^{commit}"); err != nil {
		return missingCommit(commit)
	}
	if err := os.Mkdir(source, 0o700); err != nil {
		return err
	}
	archive := source + ".tar"
	top, err := run("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	if _, err := run(strings.TrimSpace(top), "git", "archive", "--format=tar", "--output="+archive, commit); err != nil {
		return err
	}
	if _, err := run("", "tar", "-xf", archive, "-C", source); err != nil {
		return err
	}
	_, err = run(source, "go", "build", "-o", program, "./cmd/library") // with the flags of the new one: what both depend on is compiled once
	return err
}

// parseLastVersion reads the commit; lines that begin with # are for people.
func parseLastVersion(text string) (commit string, err error) {
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(fields[0], "#"):
		case commit != "":
			return "", errors.New("there is more than one line in it")
		default:
			commit = fields[0]
		}
	}
	if len(commit) != 40 || strings.Trim(commit, "0123456789abcdef") != "" {
		return "", fmt.Errorf("%q is not a commit of 40 hexadecimal digits", commit)
	}
	return commit, nil
}

// missingCommit says what to do about a commit that is not there.
func missingCommit(commit string) error {
	shallow, err := run("", "git", "rev-parse", "--is-shallow-repository")
	switch {
	case err != nil:
		return fmt.Errorf("this is not a clone of the repository, so that commit %s cannot be built; run the test in a clone", commit)
	case strings.TrimSpace(shallow) == "true":
		return fmt.Errorf("this clone is shallow and lacks commit %s; fetch the whole history with 'git fetch --unshallow'", commit)
	}
	return fmt.Errorf("there is no commit %s in this clone; fetch it with 'git fetch', or correct the file", commit)
}

// run runs a command in a folder and returns what it prints.
func run(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, failure.String())
	}
	return string(out), nil
}

func TestTheLastVersionIsOneCommit(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for text, want := range map[string]string{
		"# for people\n" + commit + " v1.0.0\n": commit,
		commit:                                  commit,
		"":                                      "",
		"v1.0.0\n":                              "",
		commit + "\n" + commit + "\n":           "",
	} {
		if got, err := parseLastVersion(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, error %v", text, got, err)
		}
	}
}
