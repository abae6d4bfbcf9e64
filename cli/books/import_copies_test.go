package books

import (
	"fmt"
	"strings"
	"testing"

	"example.org/library/cli/bulk"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
)

func TestALongBadValueIsNotPrintedInFull(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	w.Client(t, clitest.Curator, "library_curator") // waits for the keys
	long := strings.Repeat("x", 2000)
	for _, c := range []struct{ rule, text, format, says string }{
		{"a title", "title\n" + long, "csv", "title is longer than"},
		{"an author", "title,authors\nA," + long, "csv", "authors[0] is longer than"},
		{"an ISBN", "title,isbn\nB," + long, "csv", "isbn is longer than"},
		{"an identifier", "title,identifier\nC," + long, "csv", "identifier "},
		{"a number", "title,copies\nD," + long, "csv", "…\" for a number of copies"},
		{"a barcode", "title,barcode\nE," + long, "csv", "barcode is longer than"},
		{"a shelf", "title,shelf\nF," + long, "csv", "shelf is longer than"},
		{"a heading", "title," + long + "\nG,1", "csv", "not imported: x"},
		{"a heading, and no title", long + "\n1", "csv", "no column has the title"},
		{"a word instead of a member", `{"title":"H","` + long + `":1,"` + long + `":2}`, "jsonl", " twice"},
		{"a word instead of a number", `{"title":"I","copies":"` + long + `"}`, "jsonl", "copies "},
		{"a word that is no JSON", `{"title":` + long + `}`, "jsonl", "stdin:1: "},
		{"a number with many digits", `{"title":"J","copies":` + strings.Repeat("9", 2000) + `}`, "jsonl", "copies "},
	} {
		for _, flags := range [][]string{nil, {"--json"}} {
			_, stdout, stderr := w.As(t, program, clitest.Curator, "library_curator", c.text, append([]string{"books", "import", "-", "--dry-run", "--format", c.format}, flags...)...)
			said := stdout + stderr
			if strings.Contains(said, long[:81]) || strings.Contains(said, strings.Repeat("9", 81)) {
				t.Errorf("%s %v is printed in full: %.300s", c.rule, flags, said)
			}
			if !strings.Contains(strings.ReplaceAll(said, `\"`, `"`), c.says) && flags == nil {
				t.Errorf("%s %v: %.500s, want %q", c.rule, flags, said, c.says)
			}
		}
	}
}

func TestABarcodeThatIsTwiceInALongFileIsReported(t *testing.T) {
	t.Parallel()
	w := clitest.NewWorld(t)
	desk := w.Client(t, clitest.Curator, "library_curator")
	var text strings.Builder
	text.WriteString("title,barcode\nFirst,B-1\n")
	for i := range bulk.MaxBatchRows {
		fmt.Fprintf(&text, "Volume %d,V-%d\n", i, i)
	}
	text.WriteString("Last,B-1\n") // in the second request
	code, stdout, stderr := w.As(t, program, clitest.Curator, "library_curator", text.String(), "books", "import", "-")
	if code != command.ExitFailed || !strings.Contains(stdout, "failed 1.") || !strings.Contains(stderr, "stdin:503: ") || !strings.Contains(stderr, "B-1 is taken") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	page, err := desk.Books(t.Context(), client.BookQuery{Words: "last"})
	if err != nil || len(page.Items) != 0 {
		t.Error(page, err)
	}
}
