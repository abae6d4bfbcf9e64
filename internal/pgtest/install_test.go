package pgtest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/library/internal/testkit"
)

func TestFindServer(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		files []string
		path  string
		want  string
	}{
		{
			name:  "the newest version by number, not by name",
			files: []string{"9.6/bin/initdb", "9.6/bin/postgres", "15/bin/initdb", "15/bin/postgres", "9/bin/initdb", "9/bin/postgres"},
			want:  "15/bin",
		},
		{
			name:  "a version with clients only does not count",
			files: []string{"15/bin/initdb", "15/bin/postgres", "17/bin/psql", "18/bin/initdb"},
			want:  "15/bin",
		},
		{
			name:  "PATH when the folder has none",
			files: []string{"local/initdb", "local/postgres"},
			path:  "local",
			want:  "local",
		},
		{
			name:  "the folder before PATH",
			files: []string{"15/bin/initdb", "15/bin/postgres", "local/initdb", "local/postgres"},
			path:  "local",
			want:  "15/bin",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for _, f := range tt.files {
				writeProgram(t, filepath.Join(root, f))
			}
			lookPath := func(name string) (string, error) {
				return exec.LookPath(filepath.Join(root, tt.path, name))
			}
			got, err := findServer(filepath.Join(root, "*", "bin"), lookPath)
			testkit.NoError(t, err)
			if want := filepath.Join(root, tt.want); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestAMissingServerSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	notFound := func(string) (string, error) { return "", exec.ErrNotFound }
	_, err := findServer(filepath.Join(t.TempDir(), "*", "bin"), notFound)
	if !errors.Is(err, errNotInstalled) {
		t.Fatalf("got %v, want %v", err, errNotInstalled)
	}
	for _, want := range []string{"make deps", "apt-get install postgresql"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestTraversable(t *testing.T) {
	t.Parallel()
	if !traversable("/") {
		t.Error("/ is closed")
	}
	closed := filepath.Join(t.TempDir(), "closed")
	testkit.NoError(t, os.MkdirAll(filepath.Join(closed, "open"), 0o755))
	testkit.NoError(t, os.Chmod(closed, 0o700))
	if traversable(filepath.Join(closed, "open")) {
		t.Error("a folder below a closed one is open")
	}
}

func writeProgram(t *testing.T, path string) {
	t.Helper()
	testkit.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	testkit.NoError(t, os.WriteFile(path, nil, 0o755))
}
