//go:build unix

package books

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

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
		{"a book from a file", []string{"books", "add", clitest.Fifo(t, true)}},
		{"a book from a file that nobody writes to", []string{"books", "add", clitest.Fifo(t, false)}},
		{"books from standard input", []string{"books", "import", "-"}},
		{"books from a file", []string{"books", "import", "--format", "csv", clitest.Fifo(t, true)}},
		{"books from a file that nobody writes to", []string{"books", "import", "--format", "csv", clitest.Fifo(t, false)}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			var stderr testkit.Buffer
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			ended := make(chan int, 1)
			go func() {
				ended <- program(ctx, c.args, command.Environment{
					Lookup: func(name string) (string, bool) { value, is := vars[name]; return value, is },
					Stdin:  silent, Stdout: io.Discard, Stderr: &stderr,
				})
			}()
			code := testkit.Receive(t, "the end of the program", ended)
			if code != command.ExitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
				t.Errorf("exit code %d: %s", code, stderr.String())
			}
		})
	}
}
