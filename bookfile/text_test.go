package bookfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"example.org/library/bookfile"
	"example.org/library/internal/table"
	"example.org/library/internal/testkit"
)

var charsets = map[bookfile.Charset]encoding.Encoding{
	bookfile.UTF8:        unicode.UTF8,
	bookfile.UTF16LE:     unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	bookfile.UTF16BE:     unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	bookfile.Windows1252: charmap.Windows1252,
}

// encoded is a text in a charset.
func encoded(t testing.TB, text string, c bookfile.Charset) string {
	t.Helper()
	out, err := charsets[c].NewEncoder().String(text)
	testkit.NoError(t, err)
	return out
}

func TestEveryCharsetIsRecognized(t *testing.T) {
	t.Parallel()
	const text = "title;author\nMünchen – Ansichten;Böll\n"
	want := []string{book(2, "", "", "München – Ansichten", "Böll", "")}
	far := "title;author\n" + strings.Repeat("plain;text\n", 20_000) + "Café;Böll\n"
	for charset := range charsets {
		for rule, bytes := range map[string]string{
			"as it is":                     encoded(t, text, charset),
			"with lines that end with CRs": encoded(t, strings.ReplaceAll(text, "\n", "\r"), charset),
		} {
			got, err := readAll(t, bytes, bookfile.Options{Format: bookfile.CSV})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s, %s: %v (-want +got)\n%s", charset, rule, err, diff)
			}
		}
		got, err := readAll(t, encoded(t, far, charset), bookfile.Options{Format: bookfile.CSV})
		if len(got) != 20_001 || err != nil || got[20_000] != book(20_002, "", "", "Café", "Böll", "") {
			t.Errorf("%s, far behind: %d rows, %v, the last is %s", charset, len(got), err, got[len(got)-1])
		}
	}
	for name, marked := range map[string]string{
		"UTF-16LE": "\xff\xfe" + encoded(t, text, bookfile.UTF16LE),
		"UTF-16BE": "\xfe\xff" + encoded(t, text, bookfile.UTF16BE),
		"the end":  "title;author\nMünchen – Ansichten;" + "B\xc3\xb6ll",
	} {
		if got, err := readAll(t, marked, bookfile.Options{Format: bookfile.CSV}); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := readAll(t, "title\nCaf\xe9", bookfile.Options{Format: bookfile.CSV}); err != nil || got[0] != title(2, "Café") {
		t.Errorf("Windows-1252 at the very end: %q, %v", got, err)
	}
}

func TestACharsetThatIsSaidIsTakenAtItsWord(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"windows-1252": title(2, "Ã¼"), "ISO-8859-1": title(2, "Ã¼"), "utf-8": title(2, "ü")} {
		charset, known := table.CharsetOf(name)
		got, err := readAll(t, "title\nü\n", bookfile.Options{Format: bookfile.CSV, Charset: charset})
		if err != nil || !known || got[0] != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, known := table.CharsetOf("utf-7"); known {
		t.Error("UTF-7 is not read")
	}
}

func TestLinesThatEndWithCarriageReturns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"alone", "title,isbn\rT,N\r\rU,M\r", []string{book(2, "", "N", "T", "", ""), book(4, "", "M", "U", "", "")}},
		{"the last line without", "title\rT", []string{title(2, "T")}},
		{"heading alone", "title\r", nil},
		{"line breaks within a cell", "title,description\rT,\"one\ntwo\rthree\"\rU,\r", []string{book(2, "", "", "T", "", "one\ntwo\nthree"), title(5, "U")}},
		{"heading with a line break within a cell", "title,\"my\nshelf\"\rT,x\r", []string{title(3, "T")}},
		{"separator that the file names", "sep=|\rtitle|isbn\rT|N\r", []string{book(3, "", "N", "T", "", "")}},
		{"only within a cell of a file that ends lines otherwise", "title,description\n\"a\rb\",c\rd\n", []string{book(2, "", "", "a\rb", "", "c\rd")}},
	} {
		got, err := readAll(t, c.text, bookfile.Options{Format: bookfile.CSV})
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.rule, err, diff)
		}
	}
}

// A file in parts, each with the heading in front, has the same rows in the same lines as the whole.
func readInParts(t *testing.T, text string, size int, o bookfile.Options) (rows []string, err error) {
	t.Helper()
	o.Format = bookfile.CSV
	heading := ""
	for at := 0; ; {
		end := min(at+size, len(text))
		o.Partial = end < len(text)
		part := heading + text[at:end]
		r, err := bookfile.NewReader(strings.NewReader(part), o)
		if err != nil {
			return nil, err
		}
		rows = append(rows, rest(t, r)...)
		if !o.Partial {
			return rows, nil
		}
		offset, line := r.Next()
		read := offset - len(heading)
		if read <= 0 || offset == r.Heading() && heading == "" {
			size *= 2
			if heading == "" {
				continue
			}
		}
		heading = text[:r.Heading()]
		at, o.Line = at+max(read, 0), line
		if o.Charset == "" {
			o.Charset = r.Charset()
		}
	}
}

func TestAFileInPartsIsTheSameFile(t *testing.T) {
	t.Parallel()
	text := "\ufeffsep=;\n" + "\"title\";description\n" + strings.Repeat("Größe;\"a\n\"\"b\"\"\"\n\n5\" disk;\nU\n", 200) + "Ende;"
	for charset := range charsets {
		text := text
		if charset == bookfile.Windows1252 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		text = encoded(t, text, charset)
		want, err := readAll(t, text, bookfile.Options{Format: bookfile.CSV})
		if err != nil || len(want) != 601 {
			t.Fatal(charset, len(want), err)
		}
		for _, size := range []int{200, 1000, 4096} {
			got, err := readInParts(t, text, size, bookfile.Options{})
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s in parts of %d: %v (-want +got)\n%.2000s", charset, size, err, diff)
			}
		}
	}
}

func TestARecordWithoutAnEndIsLeftForTheNextPart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"title\nT\nU":           len("title\nT\n"),
		"title\nT\n\"U\n\n":     len("title\nT\n"),
		"title\nT\r\nU\r":       len("title\nT\r\n"),
		"title\nT\n\n\nU":       len("title\nT\n\n\n"),
		"title\n" + long + long: len("title\n"),
		"title\n\"\n" + long:    len("title\n\"\n"),
		"title\nT\n":            len("title\nT\n"),
	} {
		r, err := bookfile.NewReader(strings.NewReader(text), bookfile.Options{Format: bookfile.CSV, Partial: true})
		testkit.NoError(t, err)
		rest(t, r)
		if got, _ := r.Next(); got != want || r.Heading() != len("title\n") {
			t.Errorf("%.30q: goes on at %d, want %d", text, got, want)
		}
	}
}

var long = strings.Repeat("x", bookfile.MaxRecord+1)

func FuzzCharsets(f *testing.F) {
	for _, text := range []string{"title\nT\n", "title\r\"ü\n\"\rT\r", "sep=|\ntitle|isbn\nä|1\n", "title\n\xe9\xe8\n", "\xff\xfet\x00i\x00", "t\x00i\x00t\x00l\x00e\x00\n\x00\x00\xd8\n\x00"} {
		f.Add(text, uint8(3), uint8(0))
		f.Add(text, uint8(40), uint8(4))
	}
	names := []bookfile.Charset{"", bookfile.UTF8, bookfile.UTF16LE, bookfile.UTF16BE, bookfile.Windows1252}
	f.Fuzz(func(t *testing.T, text string, size, charset uint8) {
		o := bookfile.Options{Format: bookfile.CSV, Charset: names[int(charset)%len(names)]}
		r, err := bookfile.NewReader(strings.NewReader(text), o)
		if err != nil {
			return
		}
		rest(t, r)
		if offset, _ := r.Next(); offset > len(text)+1 || r.Heading() > offset {
			t.Errorf("%d of %d bytes are read, the heading is %d", offset, len(text), r.Heading())
		}
		o.Partial = true
		if r, err = bookfile.NewReader(strings.NewReader(text[:len(text)*int(size)/255]), o); err == nil {
			rest(t, r)
		}
	})
}
