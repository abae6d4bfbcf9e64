package bookfile_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

// written is a file of books.
func written(t testing.TB, o bookfile.WriterOptions, books ...bookfile.Book) string {
	t.Helper()
	var out bytes.Buffer
	w, err := bookfile.NewWriter(&out, o)
	testkit.NoError(t, err)
	for _, b := range books {
		testkit.NoError(t, w.Write(b))
	}
	testkit.NoError(t, w.Flush())
	return out.String()
}

// booksOf reads a file without bad rows.
func booksOf(t testing.TB, text string, format bookfile.Format) (books []bookfile.Book) {
	t.Helper()
	r, err := bookfile.NewReader(strings.NewReader(text), bookfile.Options{Format: format})
	testkit.NoError(t, err)
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return books
		}
		testkit.NoError(t, err)
		books = append(books, row.Book)
	}
}

// awkward are books that a careless writer would spoil.
var awkward = []bookfile.Book{
	{Identifier: "f9bf70d6-e56d-4cab-be6b-294cd05f599f", BookFields: api.BookFields{ISBN: "978-0-13-235088-4", Title: "Clean Code", Authors: []string{"Robert C. Martin"}, Description: "A handbook."}},
	{BookFields: api.BookFields{Title: `=HYPERLINK("http://example.com")`, ISBN: "-1", Authors: []string{"@home", "+1"}}},
	{BookFields: api.BookFields{Title: `"`, Authors: []string{`a;b`, `c\`, `\;`, `d, e`}, Description: "one\r\ntwo\nthree\rfour\tfive"}},
	{BookFields: api.BookFields{Title: "<b>L'Étranger & 東京\u2028</b>", Description: "sep=;\n\"\"\n,,,"}},
	{BookFields: api.BookFields{Title: `\.`}},
}

func TestWhatIsWrittenReadsAsItWas(t *testing.T) {
	t.Parallel()
	for _, format := range []bookfile.Format{bookfile.CSV, bookfile.JSON} {
		if diff := cmp.Diff(awkward, booksOf(t, written(t, bookfile.WriterOptions{Format: format}, awkward...), format)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format, diff)
		}
	}
}

func TestEveryFieldOfABookIsWrittenAndRead(t *testing.T) {
	t.Parallel()
	var b bookfile.Book
	testkit.FillFields(&b.BookFields, "a ")
	for _, format := range []bookfile.Format{bookfile.CSV, bookfile.JSON} {
		if diff := cmp.Diff([]bookfile.Book{b}, booksOf(t, written(t, bookfile.WriterOptions{Format: format}, b), format)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format, diff)
		}
	}
}

func TestFilesLookLikeThis(t *testing.T) {
	t.Parallel()
	books := []bookfile.Book{awkward[0], {BookFields: api.BookFields{Title: "=1+1", Authors: []string{"@a", "b;c"}}}}
	for _, c := range []struct {
		o    bookfile.WriterOptions
		want string
	}{
		{bookfile.WriterOptions{Format: bookfile.CSV},
			"identifier,isbn,title,authors,description,subtitle,publisher,published,series,volume,language,subjects,kind,copies,barcode,shelf\n" +
				"f9bf70d6-e56d-4cab-be6b-294cd05f599f,978-0-13-235088-4,Clean Code,Robert C. Martin,A handbook.,,,,,,,,,,,\n" +
				",,=1+1,@a; b\\;c,,,,,,,,,,,,\n"},
		{bookfile.WriterOptions{Format: bookfile.CSV, Spreadsheet: true},
			"\ufeffidentifier,isbn,title,authors,description,subtitle,publisher,published,series,volume,language,subjects,kind,copies,barcode,shelf\n" +
				"f9bf70d6-e56d-4cab-be6b-294cd05f599f,978-0-13-235088-4,Clean Code,Robert C. Martin,A handbook.,,,,,,,,,,,\n" +
				",,'=1+1,'@a; b\\;c,,,,,,,,,,,,\n"},
		{bookfile.WriterOptions{Format: bookfile.JSON},
			"[\n" + `{"identifier":"f9bf70d6-e56d-4cab-be6b-294cd05f599f","isbn":"978-0-13-235088-4","title":"Clean Code","description":"A handbook.","authors":["Robert C. Martin"]}` + ",\n" +
				`{"title":"=1+1","authors":["@a","b;c"]}` + "\n]\n"},
	} {
		if diff := cmp.Diff(c.want, written(t, c.o, books...)); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", c.o, diff)
		}
	}
}

func TestAFileOfNoBooksIsAFile(t *testing.T) {
	t.Parallel()
	for _, format := range []bookfile.Format{bookfile.CSV, bookfile.JSON} {
		if books := booksOf(t, written(t, bookfile.WriterOptions{Format: format}), format); len(books) > 0 {
			t.Errorf("%s: %v", format, books)
		}
	}
}

// full is a disk that is full.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAFullDiskIsAnError(t *testing.T) {
	t.Parallel()
	for _, format := range []bookfile.Format{bookfile.CSV, bookfile.JSON} {
		w, err := bookfile.NewWriter(full{}, bookfile.WriterOptions{Format: format})
		for range 10_000 {
			if err == nil {
				err = w.Write(awkward[0])
			}
		}
		if err == nil {
			err = w.Flush()
		}
		if err == nil {
			t.Errorf("%s: nobody noticed", format)
		}
	}
}
