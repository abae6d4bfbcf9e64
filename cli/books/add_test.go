package books

import (
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
)

func TestATitleWithEscapeCodesIsRefusedInPlainWords(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	w.Client(t, clitest.Reader, "library_user")
	code, _, stderr := w.As(t, program, clitest.Reader, "library_user", "", "books", "borrow", "\x1b[31mClean Code")
	if code != command.ExitNotFound || !strings.Contains(stderr, "The title has characters that cannot be typed, such as escape codes.") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	_, _, stderr = w.As(t, program, clitest.Reader, "library_user", "", "books", "list", "--search", "\x1b[31m")
	if strings.Count(stderr, "characters that are not text") != 1 {
		t.Errorf("said twice: %s", stderr)
	}
}
