package books

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/library/cli/bulk"
	"example.org/library/cli/clitest"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/testkit"
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

// stock is the copies of a library that can be lent, as a file can say it: what each
// book is called, and its copies' barcodes and shelves.
func stock(w *clitest.World, t *testing.T) []string {
	t.Helper()
	desk := w.Client(t, clitest.Curator, "library_curator")
	var out []string
	for page, err := range desk.BookPages(t.Context(), client.BookQuery{}, 0) {
		testkit.NoError(t, err)
		for _, b := range page.Items {
			copies, err := desk.Copies(t.Context(), b.Identifier)
			testkit.NoError(t, err)
			for _, c := range copies.Items {
				out = append(out, fmt.Sprintf("%s %s %q %q %s", b.Identifier, b.Title, c.Barcode, c.Shelf, c.State))
			}
			out = append(out, fmt.Sprintf("%s has %d copies", b.Title, b.Copies))
		}
	}
	slices.Sort(out)
	return out
}

func TestAnExportBringsTheSameCopiesToAnEmptyLibrary(t *testing.T) {
	t.Parallel()
	from := clitest.NewWorld(t)
	from.Client(t, clitest.Curator, "library_curator")
	more := "title,authors,copies,barcode,shelf\nEmma,Jane Austen,3,E-1; E-2,A 1\nNone,,0,,\nOnly a shelf,,2,,Große Halle\n\"=1+1, \"\"2\"\"\",,,00042,\n"
	if code, _, stderr := from.As(t, program, clitest.Curator, "library_curator", more, "books", "import", "-"); code != command.ExitOK {
		t.Fatal(stderr)
	}
	for _, ending := range []string{"csv", "jsonl"} {
		file := filepath.Join(t.TempDir(), "books."+ending)
		if code, _, stderr := from.As(t, program, clitest.Curator, "library_curator", "", "books", "export", file); code != command.ExitOK {
			t.Fatal(stderr)
		}
		to := clitest.NewWorld(t)
		desk := to.Client(t, clitest.Curator, "library_curator")
		page, err := desk.Books(t.Context(), client.BookQuery{})
		testkit.NoError(t, err)
		for _, b := range page.Items {
			testkit.NoError(t, desk.DeleteBook(t.Context(), b.Identifier, ""))
		}
		code, stdout, stderr := to.As(t, program, clitest.Curator, "library_curator", "", "books", "import", file)
		if code != command.ExitOK || !strings.HasPrefix(stdout, "Added 14, updated 0, unchanged 0, different 0, failed 0.") {
			t.Errorf("%s: %d %s%s", ending, code, stdout, stderr)
		}
		if got, want := stock(to, t), stock(from, t); !slices.Equal(got, want) {
			text, _ := os.ReadFile(file)
			t.Errorf("%s:\n%s\nwant\n%s\nby\n%s", ending, strings.Join(got, "\n"), strings.Join(want, "\n"), text)
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
