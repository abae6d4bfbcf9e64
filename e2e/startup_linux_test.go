package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// runAsNobody runs the program as a user without rights. Only root can; anybody
// else is one.
func runAsNobody(t *testing.T, args ...string) outcome {
	t.Helper()
	ctx := testkit.Context(t)
	cmd := command(ctx, "/", nil, args...)
	if os.Getuid() == 0 {
		program := filepath.Join(openFolder(t), "library")
		testkit.NoError(t, os.Link(binary, program))
		cmd.Path = program
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65534, Gid: 65534}
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("library %s goes on; it says:\n%s", strings.Join(args, " "), stderr.String())
	}
	return outcome{code: cmd.ProcessState.ExitCode(), stderr: stderr.String()}
}

// openFolder is a folder that everybody can look into.
func openFolder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "library-open-")
	testkit.NoError(t, err)
	t.Cleanup(func() {
		os.Chmod(dir, 0o700)
		os.RemoveAll(dir)
	})
	testkit.NoError(t, os.Chmod(dir, 0o755))
	return dir
}

// TestADatabaseThatCannotBeWrittenIsNamedAtTheStart is about the rights of the
// file and of its folder, in which SQLite keeps its log.
func TestADatabaseThatCannotBeWrittenIsNamedAtTheStart(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folder, file os.FileMode // 0 for no file
	}{
		"a file to read only":                {0o777, 0o444},
		"a file that may not be read":        {0o777, 0o200},
		"a folder to read only":              {0o555, 0o666},
		"a folder to read only, and no file": {0o555, 0},
	} {
		for _, command := range []string{"migrate", "serve"} {
			t.Run(command+" "+name, func(t *testing.T) {
				t.Parallel()
				dir := openFolder(t)
				path := filepath.Join(dir, "library.db")
				if c.file != 0 {
					if o := runProgram(t, nil, "migrate", "--database", "sqlite:"+path); o.code != 0 {
						t.Fatal(o.stderr)
					}
					testkit.NoError(t, os.Chmod(path, c.file))
				}
				testkit.NoError(t, os.Chmod(dir, c.folder))
				args := []string{command, "--database", "sqlite:" + path}
				if command == "serve" {
					args = append(args, "--issuer", "http://127.0.0.1:1/x", "--addr", "127.0.0.1:0", "--management-addr", "127.0.0.1:0")
				}
				began := time.Now()
				o := runAsNobody(t, args...)
				if o.code != 1 || !strings.Contains(o.stderr, "--database") || !strings.Contains(o.stderr, "may not read and write") || !strings.Contains(o.stderr, path) {
					t.Errorf("exit code %d, and: %s", o.code, o.stderr)
				}
				if took := time.Since(began); took > testkit.Bound(10*time.Second) {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}
