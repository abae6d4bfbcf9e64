package books

import (
	"strings"
	"testing"

	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
)

func TestAMisspeltSearchSaysWhatItSearchedFor(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	w.Client(t, clitest.Curator, "library_curator") // waits for the keys
	const says = `Showing results for "clean code". --exact searches for "clen code" instead.`
	for _, c := range []struct {
		rule, words string
		flags       []string
		finds, says string
	}{
		{"a word is corrected", "clen code", nil, "Clean Code", says},
		{"blanks around it are not repeated", "  clen code ", nil, "Clean Code", says},
		{"records for programs are the same, and the words are not among them", "clen code", []string{"--json"}, `"Clean Code"`, says},
		{"--exact leaves it as it is", "clen code", []string{"--exact"}, "", ""},
		{"nothing is said about words that some book has", "clean", nil, "Clean Code", ""},
		{"nor where there is no near word", "xyzzyx", nil, "", ""},
	} {
		args := append([]string{"books", "list", "--search", c.words}, c.flags...)
		code, stdout, stderr := w.As(t, program, clitest.Curator, "library_curator", "", args...)
		if code != command.ExitOK || !strings.Contains(stdout, c.finds) || strings.TrimSpace(stderr) != c.says || strings.Contains(stdout, "Showing") {
			t.Errorf("%s: exit code %d\n%s\n%s", c.rule, code, stdout, stderr)
		}
	}
}

func TestAYearThatIsNoNumberIsSaidInPlainWords(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	code, _, stderr := w.As(t, program, clitest.Curator, "library_curator", "", "books", "list", "--from", "abc")
	if code != command.ExitUsage || !strings.Contains(stderr, `--from: is "abc"; it must be a whole number`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
