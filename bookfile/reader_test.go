package bookfile_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/bookfile"
	"example.org/library/internal/testkit"
)

// readAll reads a file and returns a line for each record: the line, and the
// book as Go would write it or what is wrong.
func readAll(t testing.TB, text string, o bookfile.Options) (rows []string, err error) {
	t.Helper()
	r, err := bookfile.NewReader(strings.NewReader(text), o)
	if err != nil {
		return nil, err
	}
	return restOrError(r)
}

// rest reads what is left of a file that can be read as a whole.
func rest(t testing.TB, r *bookfile.Reader) []string {
	t.Helper()
	rows, err := restOrError(r)
	testkit.NoError(t, err)
	return rows
}

func restOrError(r *bookfile.Reader) (rows []string, err error) {
	for {
		row, err := r.Read()
		var bad *bookfile.RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case errors.As(err, &bad):
			rows = append(rows, fmt.Sprintf("%d! %s", bad.Line, bad.Reason))
		case err != nil:
			return rows, err
		default:
			b := row.Book
			rows = append(rows, fmt.Sprintf("%d %q", row.Line, []string{b.Identifier, b.ISBN, b.Title, strings.Join(b.Authors, "|"), b.Description}))
		}
	}
}

func book(line int, identifier, isbn, title, authors, description string) string {
	return fmt.Sprintf("%d %q", line, []string{identifier, isbn, title, authors, description})
}

func title(line int, title string) string { return book(line, "", "", title, "", "") }

func TestCSV(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", bookfile.MaxRecord+1)
	for _, c := range []struct {
		rule, text string
		want       []string
	}{
		{"all fields", "identifier,isbn,title,authors,description\nI,N,T,A; B,D\n", []string{book(2, "I", "N", "T", "A|B", "D")}},
		{"headings without regard to case, spaces and marks", " TITLE ;Isbn_13;Author(s)\nT;N;A\n", []string{book(2, "", "N", "T", "A", "")}},
		{"headings in German", "Titel;Autoren;EAN;Beschreibung\nT;A;N;D\n", []string{book(2, "", "N", "T", "A", "D")}},
		{"other headings", "uuid\tname\tcreator\tsummary\nI\tT\tA\tD\n", []string{book(2, "I", "", "T", "A", "D")}},
		{"byte order mark", "\ufefftitle\nT\n", []string{title(2, "T")}},
		{"lines that end with carriage returns", "title,isbn\r\nT,N\r\n\"U\",\"M\"\r\n", []string{book(2, "", "N", "T", "", ""), book(3, "", "M", "U", "", "")}},
		{"last line without an end", "title\nT\n\"U\"", []string{title(2, "T"), title(3, "U")}},
		{"heading alone", "title,isbn", nil},
		{"separator that the file names", "sep=;\r\ntitle;isbn\r\na,b;N\r\n", []string{book(3, "", "N", "a,b", "", "")}},
		{"separator that makes most headings known", "Titel;Autor, erster, zweiter, dritter\nT;A\n", []string{title(2, "T")}},
		{"quoted cells", "title,isbn\n\"a, \"\"b\"\"\",\"\"\n", []string{title(2, `a, "b"`)}},
		{"cells of several lines count from where they begin", "title,description\nT,\"one\n\ntwo\r\nthree\"\nU,\n", []string{book(2, "", "", "T", "", "one\n\ntwo\r\nthree"), title(6, "U")}},
		{"authors in columns of their own", "author2,title,author1\nB,T,A\n,U,A;;B; \n", []string{book(2, "", "", "T", "B|A", ""), book(3, "", "", "U", "A|B", "")}},
		{"authors with a semicolon in the name", "title,author\nT,a\\;b; c\\\\; d\\e\n", []string{book(2, "", "", "T", `a;b|c\|d\e`, "")}},
		{"first ISBN that is there", "title,isbn,isbn13\nT,,N13\nU,N10,N13\n", []string{book(2, "", "N13", "T", "", ""), book(3, "", "N10", "U", "", "")}},
		{"ISBN that a spreadsheet was to leave alone", "title,isbn,isbn13\nT,\"=\"\"0132350882\"\"\",\nU,\"=\"\"\"\"\",\"=\"\"N13\"\"\"\n", []string{book(2, "", "0132350882", "T", "", ""), book(3, "", "N13", "U", "", "")}},
		{"the same without quotation marks around it", "title,isbn,isbn13\nT,=\"0132350882\",=\"\"\nU,=\"\",=\"N13\"\r\nV,,=\"1\"", []string{
			book(2, "", "0132350882", "T", "", ""), book(3, "", "N13", "U", "", ""), book(4, "", "1", "V", "", "")}},
		{"formula with more after its text", "title,isbn\nT,=\"1\"&\"2\"\nU,\n", []string{"2! has text after the closing quotation mark of a cell; double quotation marks that belong to the text", title(3, "U")}},
		{"title in a formula stays as it is", "title,isbn\n=\"T\",1\n", []string{book(2, "", "1", `="T"`, "", "")}},
		{"words for no ISBN", "title,isbn\na,n/a\nb,N.A.\nc,-\nd,–\ne,None\nf,NULL\ng,#N/A\nh,0\ni,?\nj,unknown\nk,keine\nl,0000000000\nm,NaN\n", []string{
			title(2, "a"), title(3, "b"), title(4, "c"), title(5, "d"), title(6, "e"), title(7, "f"), title(8, "g"), title(9, "h"), title(10, "i"), title(11, "j"), title(12, "k"), title(13, "l"), title(14, "m")}},
		{"text for an ISBN", "title,isbn\na,A7\nb,12E4\n", []string{book(2, "", "A7", "a", "", ""), book(3, "", "12E4", "b", "", "")}},
		{"ISBN that a spreadsheet has cut short", "title;isbn\na;9.78013E+12\nb;9,78013e+12\nc;=\"9E+12\"\nT;\n", []string{
			"2! has 9.78013E+12 for an ISBN: a spreadsheet has cut the number short; format the column as text and enter it again",
			"3! has 9,78013e+12 for an ISBN: a spreadsheet has cut the number short; format the column as text and enter it again",
			"4! has 9E+12 for an ISBN: a spreadsheet has cut the number short; format the column as text and enter it again", title(5, "T")}},
		{"ISBN that is cut short in one column", "title,isbn13,isbn10\na,9.78013E+12,0132350882\nb,9780132350884,1.3E+9\n", []string{
			book(2, "", "0132350882", "a", "", ""), book(3, "", "9780132350884", "b", "", "")}},
		{"own name of a field goes before another", "name,title\nwrong,T\n", []string{title(2, "T")}},
		{"blank lines and blank records are nothing", "\n\ntitle,isbn\n\n,\nT,N\n  ,\n\"\",\n", []string{book(6, "", "N", "T", "", "")}},
		{"what looks like a formula is text", "title\n=1+1\n-x\n", []string{title(2, "=1+1"), title(3, "-x")}},
		{"wrong number of cells", "title,isbn\nT\nU,N,x\nV,N\n", []string{"2! has 1 cell, but the heading has 2", "3! has 3 cells, but the heading has 2", book(4, "", "N", "V", "", "")}},
		{"UTF-8 that was damaged", "title\nÄrö\nM\xfcnchen\nT\n", []string{title(2, "Ärö"), "3! is not UTF-8; save the file as UTF-8", title(4, "T")}},
		{"quotation mark inside a cell", "title\n5\" disk\nT\n", []string{"2! has a quotation mark inside a cell; put the whole cell in quotation marks and double the one inside", title(3, "T")}},
		{"text after a quoted cell", "title\n\"a\" b\nT\n", []string{"2! has text after the closing quotation mark of a cell; double quotation marks that belong to the text", title(3, "T")}},
		{"quotation mark that the next one closes wrongly", "title,isbn\n\"a,1\nb,2\nc,\"3\"\nd,4\n", []string{
			"2! opens a quotation mark that is not closed, or not at the end of its cell",
			book(3, "", "2", "b", "", ""), book(4, "", "3", "c", "", ""), book(5, "", "4", "d", "", "")}},
		{"quotation mark that is never closed", "title\n\"a\nT\nU\n", []string{"2! opens a quotation mark that is not closed", title(3, "T"), title(4, "U")}},
		{"quotation mark that is not closed soon enough", "title\n\"a\nT\n" + long + "\nU\n", []string{
			"2! opens a quotation mark that is not closed", title(3, "T"), "4! is longer than 512 KiB", title(5, "U")}},
		{"line that is too long", "title\n" + long + long + long + "\nT\n", []string{"2! is longer than 512 KiB", title(3, "T")}},
		{"last line that is too long", "title\nT\n" + long, []string{title(2, "T"), "3! is longer than 512 KiB"}},
		{"quoted line that is too long", "title\n\"" + long + "\"\nT\n", []string{"2! is longer than 512 KiB", title(3, "T")}},
		{"record of many lines that is too long", "title\n\"a\n" + long + "\"\nT\n", []string{
			"2! opens a quotation mark that is not closed", "3! is longer than 512 KiB", title(4, "T")}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(t, c.text, bookfile.Options{Format: bookfile.CSV})
			if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got)\n%s", err, diff)
			}
		})
	}
}

func TestCSVFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, text, says string }{
		{"empty", "", "empty"},
		{"blank", " \n,,\n", "empty"},
		{"no title", "Buch,Wer\nT,A\n", `no column has the title; the columns are "Buch", "Wer", and the usual headings are identifier, isbn, title, authors, description`},
		{"very many columns", strings.Repeat("x,", 100) + "\n", "and 81 more"},
		{"zeros", "title\x00\n", "not a text file"},
		{"heading that is longer than headings are", strings.Repeat("x,", 40_000) + "title\n", "line 1 is longer than 64 KiB"},
		{"heading with wrong quotation marks", "title,a\"b\n", "line 1 has a quotation mark"},
		{"heading that is too long", strings.Repeat("x", bookfile.MaxRecord+1), "line 1 is longer"},
	} {
		if _, err := readAll(t, c.text, bookfile.Options{Format: bookfile.CSV}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error with %q", c.rule, err, c.says)
		}
	}
}

func TestColumnsOfTheCallersOwn(t *testing.T) {
	t.Parallel()
	const text = "Buch;Wer;Noch wer;Titel;uuid\nT;A;B;x;7\n"
	for _, c := range []struct {
		rule    string
		columns map[string][]string
		want    string
		says    string
	}{
		{"none", nil, book(2, "7", "", "x", "", ""), ""},
		{"instead of the usual one", map[string][]string{"title": {"BUCH"}}, book(2, "7", "", "T", "", ""), ""},
		{"several", map[string][]string{"authors": {"Wer", "Noch wer"}}, book(2, "7", "", "x", "A|B", ""), ""},
		{"to be left out", map[string][]string{"identifier": {}}, book(2, "", "", "x", "", ""), ""},
		{"not there", map[string][]string{"isbn": {"Nummer"}}, "", `no column is called "Nummer"; the columns are "Buch", "Wer"`},
		{"title left out", map[string][]string{"title": {}}, "", "no column has the title"},
	} {
		got, err := readAll(t, text, bookfile.Options{Format: bookfile.CSV, Columns: c.columns})
		if c.says != "" {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want an error with %q", c.rule, err, c.says)
			}
			continue
		}
		if diff := cmp.Diff([]string{c.want}, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", c.rule, err, diff)
		}
	}
}

func TestAnIDThatMeansSomethingElseIsIgnored(t *testing.T) {
	t.Parallel()
	const id, note = "F9BF70D6-e56d-4cab-be6b-294cd05f599f", "id (no identifiers of a library)"
	many := strings.Repeat("x,7\n", 20_000)
	for _, c := range []struct {
		rule, text string
		columns    map[string][]string
		want       string // the identifiers of the first rows
		ignored    []string
	}{
		{"numbers", "title,id\na,1\nb,2\n", nil, "[ ]", []string{note}},
		{"numbers under a heading in capitals", "ID;title\n1;a\n", nil, "[]", []string{strings.Replace(note, "id", "ID", 1)}},
		{"numbers under a German heading", "Kennung;Titel\n1;a\n", nil, "[]", []string{strings.Replace(note, "id", "Kennung", 1)}},
		{"identifiers under a German heading", "Kennung;Titel\n" + id + ";a\n", nil, "[" + id + "]", nil},
		{"identifiers", "title,id\na," + id + "\n", nil, "[" + id + "]", nil},
		{"an identifier among the first rows", "title,id\na,1\nb," + id + "\n", nil, "[ " + id + "]", []string{note}},
		{"an identifier far behind", "title,id\na,1\n" + many + "b," + id + "\n", nil, "[ ]", []string{note}},
		{"no values", "title,id\na,\nb,\n", nil, "[ ]", nil},
		{"no rows", "title,id\n", nil, "[]", nil},
		{"a bad row before", "title,id\na,1,2\nb,2\n", nil, "[]", []string{note}},
		{"a column that is asked for", "title,id\na,1\n", map[string][]string{"identifier": {"id"}}, "[1]", nil},
		{"a heading that leaves no doubt", "title,identifier\na,1\n", nil, "[1]", nil},
		{"a separator that the file names", "sep=|\ntitle|id\na|1\n", nil, "[]", []string{note}},
	} {
		r, err := bookfile.NewReader(strings.NewReader(c.text), bookfile.Options{Format: bookfile.CSV, Columns: c.columns})
		testkit.NoError(t, err)
		var got []string
		for len(got) < 2 {
			row, err := r.Read()
			if _, ok := errors.AsType[*bookfile.RowError](err); ok {
				continue
			} else if err != nil {
				break
			}
			got = append(got, row.Book.Identifier)
		}
		if text := fmt.Sprint(got); text != c.want || !slices.Equal(r.Ignored(), c.ignored) {
			t.Errorf("%s: %s, ignored %q; want %s, %q", c.rule, text, r.Ignored(), c.want, c.ignored)
		}
	}
}

func TestUnknownNamesAreToldOnce(t *testing.T) {
	t.Parallel()
	for format, text := range map[bookfile.Format]string{
		bookfile.CSV:  "title,colour,price,colour,\na,b,c,d,e\n",
		bookfile.JSON: `{"title":"a","colour":1}` + "\n" + `{"title":"b","colour":2,"price":{}}`,
	} {
		r, err := bookfile.NewReader(strings.NewReader(text), bookfile.Options{Format: format})
		testkit.NoError(t, err)
		for err == nil {
			_, err = r.Read()
		}
		got := r.Ignored()
		if diff := cmp.Diff([]string{"colour", "price"}, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", format, diff)
		}
	}
}
