package bookfile_test

import (
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

// FuzzRead reads anything, twice: at once and byte by byte. Both must find the same, in lines that grow and exist.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"title,isbn\nT,N\n", "title;author\r\n\"a\nb\";\"c\"\"d\"\r\n", "title\n\"a\nb\"c\n\"", "sep=;\ntitle\n", "\ufefftitle\n,\n",
		"title,isbn\n=\"T\",=\"1\"\"\n\"\n", "title,isbn\n=,=\"\nT,9E+12\n", "{\"title\":\"a\"}\n{}\n", "[{\"title\":\"a\"},\n7,{\"b\":[\"]\"]}]", "[", "[{}", "title\n\xff\n",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, isCSV bool) {
		o := bookfile.Options{Format: bookfile.JSON}
		if isCSV {
			o.Format = bookfile.CSV
		}
		type found struct {
			Rows []any
			Err  string
		}
		read := func(in io.Reader) (out found) {
			r, err := bookfile.NewReader(in, o)
			last := 0
			for err == nil {
				var row bookfile.Row
				row, err = r.Read()
				var bad *bookfile.RowError
				switch {
				case errors.As(err, &bad):
					out.Rows = append(out.Rows, *bad)
					row.Line, err = bad.Line, nil
				case err == nil:
					out.Rows = append(out.Rows, row)
				default:
					continue
				}
				if row.Line < last || row.Line == last && !strings.Contains(text, "[") || row.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1 {
					t.Fatalf("line %d after line %d", row.Line, last)
				}
				last = row.Line
			}
			out.Err = err.Error()
			return out
		}
		testkit.Diff(t, read(strings.NewReader(text)), read(iotest.OneByteReader(strings.NewReader(text))))
	})
}

// FuzzRoundTrip writes a book as the service could hold it and reads it again.
func FuzzRoundTrip(f *testing.F) {
	for _, b := range awkward {
		f.Add(b.Identifier, b.ISBN, b.Title, strings.Join(b.Authors, "\n"), b.Description)
	}
	f.Fuzz(func(t *testing.T, identifier, isbn, title, authors, description string) {
		// The service cuts white space and knows no empty title nor author.
		b := bookfile.Book{
			Identifier: strings.TrimSpace(identifier), BookFields: api.BookFields{ISBN: strings.TrimSpace(isbn), Title: strings.TrimSpace(title), Description: strings.TrimSpace(description)},
		}
		for author := range strings.SplitSeq(authors, "\n") {
			b.Authors = append(b.Authors, strings.TrimSpace(author))
		}
		b.Authors = slices.DeleteFunc(b.Authors, func(author string) bool { return author == "" })
		if len(b.Authors) == 0 {
			b.Authors = nil
		}
		if b.Title == "" || !utf8.ValidString(identifier+"|"+isbn+"|"+title+"|"+authors+"|"+description) {
			return
		}
		for _, format := range []bookfile.Format{bookfile.JSON, bookfile.CSV} {
			if format == bookfile.CSV { // where some texts are known to be no ISBN
				var cut string
				if b.ISBN, cut = bookfile.ISBNOf(b.ISBN); cut != "" {
					return
				}
			}
			want := []bookfile.Book{b, awkward[0]}
			if diff := cmp.Diff(want, booksOf(t, written(t, bookfile.WriterOptions{Format: format}, want...), format)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", format, diff)
			}
		}
	})
}

// endless repeats a text.
type endless struct {
	text string
	left int // bytes
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := 0
	for n < len(p) && n < e.left {
		m := copy(p[n:], e.text[e.at:])
		n, e.at = n+m, (e.at+m)%len(e.text)
	}
	e.left -= n
	return n, nil
}

// Files that could make a reader hoard, or look at the same bytes again and
// again. The time is bounded by the time-out of the test.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	long := strings.Repeat("x", 200)
	for name, c := range map[string]struct {
		start, text string
		format      bookfile.Format
	}{
		"good rows":             {"title,isbn\n", long + ",\"b\"\n", bookfile.CSV},
		"one line":              {"title\n", "x", bookfile.CSV},
		"one quoted cell":       {"title\n\"", long + "\n", bookfile.CSV},
		"empty lines in quotes": {"title\n\"", "\n", bookfile.CSV},
		"quotation marks":       {"title\n", "\"", bookfile.CSV},
		"odd lines":             {"title\n", "\"" + long + "\n", bookfile.CSV},
		"odd lines far apart":   {"title\n", "\"\n" + strings.Repeat(long+"\n", 3000), bookfile.CSV},
		"closed by the next":    {"title\n", long + ",\"\n", bookfile.CSV},
		"one line of JSON":      {"", "{\"a\":", bookfile.JSON},
		"array of books":        {"[{}", ",{\"title\":\"" + long + "\"}", bookfile.JSON},
		"array of white space":  {"[", " ", bookfile.JSON},
		"unknown members":       {"[{\"a\":1}", ",{\"a\":1,\"" + long + "\":2}\n", bookfile.JSON},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := bookfile.NewReader(io.MultiReader(strings.NewReader(c.start), &endless{text: c.text, left: 3 << 20}), bookfile.Options{Format: c.format})
			testkit.NoError(t, err)
			for {
				_, err := r.Read()
				var bad *bookfile.RowError
				if err != nil && !errors.As(err, &bad) {
					break
				}
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > 16<<20 {
				t.Errorf("%d MiB are in use", m.HeapAlloc>>20)
			}
			runtime.KeepAlive(r)
		})
	}
}
