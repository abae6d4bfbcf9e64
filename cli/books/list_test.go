package books

import (
	"strings"
	"testing"

	"example.org/library/api"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
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
		{"words that are right, and no book with the filters", "clen code", []string{"--language", "cs"}, "",
			`No book matches "clean code" with these filters. --exact searches for "clen code" instead.`},
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

func TestWordsThatNoBookHasTogetherAreNotOffered(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	c := w.Client(t, clitest.Curator, "library_curator")
	const words = "clen desing"
	for p, err := range c.BookPages(t.Context(), client.BookQuery{Words: words, Fuzzy: true}, 1) {
		if err != nil || p.Corrected != "clean design" || p.Total != 0 {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	for _, c := range []struct {
		says  string
		flags []string
	}{{"", nil}, {`No book matches "clean design" with these filters.`, []string{"--available"}}} {
		code, stdout, stderr := w.As(t, program, clitest.Curator, "library_curator", "", append([]string{"books", "list", "--search", words}, c.flags...)...)
		if code != command.ExitOK || stdout != "" || !strings.HasPrefix(stderr, c.says) || c.says == "" && stderr != "" {
			t.Errorf("%s: exit code %d\n%s\n%s", c.flags, code, stdout, stderr)
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

func TestASearchWithAControlCharacterHasOneError(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	code, _, stderr := w.As(t, program, clitest.Curator, "library_curator", "", "books", "list", "--search", "clean\x1b[31m")
	if code != command.ExitFailed || stderr != "library: the words to search for: contains characters that are not text\n" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestASearchForAnISBNFindsItsBookAlone(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	c := w.Client(t, clitest.Curator, "library_curator")
	const isbn, unknown = "9783518188330", "978-0-306-40615-7"
	for _, b := range []api.BookFields{
		{Title: "Steppenwolf", Authors: []string{"Hermann Hesse"}, ISBN: isbn},
		{Title: "About another", Authors: []string{"Somebody"}, Description: "See " + isbn + " and " + unknown},
	} {
		testkit.NoError(t, testkit.Err(c.AddBook(t.Context(), client.BookFields{BookFields: b})))
	}
	for words, want := range map[string]string{isbn: "Steppenwolf", " 3-518-18833-X ": "Steppenwolf", unknown: "About another"} {
		code, stdout, stderr := w.As(t, program, clitest.Curator, "library_curator", "", "books", "list", "--search", words)
		if code != command.ExitOK || !strings.Contains(stdout, want) || strings.Contains(stdout, "Steppenwolf") == strings.Contains(stdout, "About another") {
			t.Errorf("%s: exit code %d\n%s\n%s", words, code, stdout, stderr)
		}
	}
}
