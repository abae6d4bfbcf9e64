//go:build unix

package cli

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.org/library/internal/testkit"
)

// fifo is a file that nothing comes from. If somebody writes, they have opened
// it and are silent.
func fifo(t *testing.T, written bool) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if written {
		writer, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { writer.Close() })
	}
	return path
}

func TestAnInterruptionDoesNotWaitForAFile(t *testing.T) {
	t.Parallel()
	silent, writer := io.Pipe()
	t.Cleanup(func() { writer.Close() })
	vars := map[string]string{"LIBRARY_TOKEN": "x", "LIBRARY_SERVER": "http://127.0.0.1:1/library-server"}
	for _, c := range []struct {
		rule string
		args []string
	}{
		{"a book from standard input", []string{"books", "add", "-"}},
		{"a book from a pipe", []string{"books", "add"}},
		{"a book from a file", []string{"books", "add", fifo(t, true)}},
		{"a book from a file that nobody writes to", []string{"books", "add", fifo(t, false)}},
		{"books from standard input", []string{"books", "import", "-"}},
		{"books from a file", []string{"books", "import", "--format", "csv", fifo(t, true)}},
		{"books from a file that nobody writes to", []string{"books", "import", "--format", "csv", fifo(t, false)}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			var stderr testkit.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			ended := make(chan int, 1)
			go func() {
				ended <- run(ctx, c.args, Environment{
					Lookup: func(name string) (string, bool) { value, is := vars[name]; return value, is },
					Stdin:  silent, Stdout: io.Discard, Stderr: &stderr,
				})
			}()
			select {
			case code := <-ended:
				if code != ExitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
					t.Errorf("exit code %d: %s", code, stderr.String())
				}
			case <-time.After(10 * time.Second):
				t.Error("it goes on waiting")
			}
		})
	}
}

func TestAnInterruptionDoesNotWaitForASecret(t *testing.T) {
	t.Parallel()
	for _, written := range []bool{true, false} {
		a, _ := newTestApp()
		path := fifo(t, written)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		ended := make(chan error, 1)
		go func() {
			_, err := a.clientSecret(ctx, path)
			ended <- err
		}()
		select {
		case err := <-ended:
			if err == nil {
				t.Error("there is a secret")
			}
		case <-time.After(10 * time.Second):
			t.Error("it goes on waiting")
		}
	}
}
