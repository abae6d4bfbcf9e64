package upgrade

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	commit := regexp.MustCompile(`(?m)^[0-9a-f]{40}\b`).FindString(string(text)) // other lines are for people
	if _, err := run("", "git", "cat-file", "-e", commit+"^{commit}"); err != nil {
		return fmt.Errorf("there is no commit %s in this clone; fetch the whole history with 'git fetch --unshallow', or correct the file", commit)
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
