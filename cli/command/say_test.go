package command_test

import (
	"io"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
)

// The escape sequence clears a screen, in one character or in two; the last
// character turns what follows around.
const hostile = "\x1b[2J\u009b2J\u202e"

func TestOurOwnWordsKeepTheirColours(t *testing.T) {
	t.Parallel()
	a, said := clitest.NewApp()
	a.Message("%s is %s and %v\n  %d", command.Painted("\x1b[1mbold\x1b[0m"), hostile, io.EOF, 7)
	if got, want := said.String(), "\x1b[1mbold\x1b[0m is �[2J�2J� and EOF\n  7\n"; got != want {
		t.Errorf("it says %q", got)
	}
}
