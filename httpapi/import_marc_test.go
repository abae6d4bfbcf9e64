package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/marc"
)

// marcFile is books as a file of MARC records.
func marcFile(format marc.Format, books ...bookfile.Book) string {
	var out strings.Builder
	w := marc.NewWriter(&out, format)
	for _, b := range books {
		w.Write(bookfile.ToMARC(b)) // a builder takes everything
	}
	w.Close()
	return out.String()
}

func marcBook(title string, items ...bookfile.Item) bookfile.Book {
	return bookfile.Book{BookFields: api.BookFields{Title: title}, Items: items}
}

// marcResults is the outcomes of records, as short as a person would say them.
func marcResults(t *testing.T, a reply) (out []string) {
	t.Helper()
	for _, r := range decode[api.TableImport](t, a).Results {
		text := fmt.Sprint(r.Record, " ", r.Outcome)
		if r.Code != "" {
			text += " " + r.Code
		}
		if r.Book != nil {
			text += fmt.Sprintf(" %.20q", r.Book.Title)
		}
		for _, w := range r.Warnings {
			text += " " + w.Field + " " + w.Code
		}
		out = append(out, text)
	}
	return out
}

func TestImportingMARCRecords(t *testing.T) {
	t.Parallel()
	emma := bookfile.Book{BookFields: api.BookFields{Title: "Emma", ISBN: "9780141439587", Authors: []string{"Jane Austen"}}}
	untitled := bookfile.Book{BookFields: api.BookFields{Authors: []string{"Nobody"}}}
	long := marcBook(strings.Repeat("Long ", 100))
	strange := bookfile.ToMARC(marcBook("Stra_nge"))
	text := strings.Replace(string(marc.AppendISO(nil, strange)), "_", "\xff", 1)
	file := marcFile(marc.ISO2709, emma) + "00100 broken\x1d" + marcFile(marc.ISO2709, marcBook("Clean Code"), untitled) + text + marcFile(marc.ISO2709, long)
	want := []string{
		`1 added "Emma"`, `2 invalid record_broken`, `3 added "Clean Code"`, `4 invalid invalid ""`,
		`5 added "Stra` + "\uFFFD" + `nge" record unreadable_characters`, `6 added "Long Long Long Long " title cut`,
	}
	for _, query := range []string{"?dryRun=true", "", "?update=true"} {
		w := newWorld(t)
		a := w.send(t, importingTable(query, "application/marc", file)).want(t, 200, "")
		if diff := cmp.Diff(want, marcResults(t, a)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
		again := w.send(t, importingTable("", "application/marc", file)).want(t, 200, "")
		if isDry := query == "?dryRun=true"; !isDry && strings.Contains(strings.Join(marcResults(t, again), " "), "added") {
			t.Errorf("%s: again %q", query, marcResults(t, again))
		}
	}
}

func TestImportingMARCXML(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := strings.Replace(marcFile(marc.XML, marcBook("Emma"), marcBook("Broken"), marcBook("Persuasion")), "Broken", "<b>&nbsp;", 1)
	a := w.send(t, importingTable("", "application/marcxml+xml; charset=utf-8", file)).want(t, 200, "")
	want := []string{`1 added "Emma"`, `2 invalid record_broken`, `3 added "Persuasion"`}
	if diff := cmp.Diff(want, marcResults(t, a)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoFileOfMARCRecords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	many := strings.Repeat(marcFile(marc.ISO2709, marcBook("Emma")), 1001)
	for _, c := range []struct {
		rule, query, kind, body string
		status                  int
		code                    string
	}{
		{"nothing", "", "application/marc", "", 400, "file_no_rows"},
		{"no records", "", "application/marcxml+xml", "<html></html>", 400, "file_no_rows"},
		{"UTF-16", "", "application/marcxml+xml", "\xff\xfe<\x00r\x00", 400, "file_utf16"},
		{"UNIMARC", "", "application/marcxml+xml", `<record><datafield tag="200"><subfield code="a">Emma</subfield></datafield></record>`, 400, "file_unimarc"},
		{"too many", "", "application/marc", many, 400, "import_size"},
		{"lines", "?line=3", "application/marc", many, 400, "bad_query"},
		{"another kind", "", "application/xml", "<collection/>", 415, "not_json"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			w.send(t, importingTable(c.query, c.kind, c.body)).want(t, c.status, c.code)
		})
	}
	people := request{as: clarkKent, method: http.MethodPost, path: "/imports/users", body: many, header: field("Content-Type", "application/marc")}
	w.send(t, people).want(t, 415, "not_json")
}

func TestAFileOfMARCRecordsMayComeInParts(t *testing.T) {
	t.Parallel()
	var books []bookfile.Book
	for i := range 5 {
		books = append(books, marcBook(fmt.Sprint("Part ", i)))
	}
	for kind, format := range map[string]marc.Format{"application/marc": marc.ISO2709, "application/marcxml+xml": marc.XML} {
		w := newWorld(t)
		rest, number := marcFile(format, books...), 1
		var got []string
		for part := "more"; rest != ""; {
			size := min(len(rest), 1000)
			if size == len(rest) {
				part = "last"
			}
			a := w.send(t, importingTable(fmt.Sprintf("?part=%s&record=%d", part, number), kind, rest[:size])).want(t, 200, "")
			got = append(got, marcResults(t, a)...)
			next := decode[api.TableImport](t, a).Next
			if next == nil {
				break
			}
			if next.Byte == 0 {
				t.Fatal("nothing was read")
			}
			rest, number = rest[next.Byte:], next.Record
		}
		want := []string{`1 added "Part 0"`, `2 added "Part 1"`, `3 added "Part 2"`, `4 added "Part 3"`, `5 added "Part 4"`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

func TestCopiesOfAMARCRecordHaveTheirOwnShelfAndState(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	items := []bookfile.Item{{Barcode: "M1", Shelf: "A"}, {Barcode: "M2", Shelf: "B", Reference: true}, {}}
	file := marcFile(marc.ISO2709, marcBook("Emma", items...))
	result := decode[api.TableImport](t, w.send(t, importingTable("", "application/marc", file)).want(t, 200, "")).Results[0]
	copies := func() (out []string) {
		a := w.send(t, request{as: peterParker, path: "/books/" + result.Identifier + "/copies"}).want(t, 200, "")
		for _, c := range decode[[]api.Copy](t, a) {
			out = append(out, fmt.Sprint(c.Barcode, " ", c.Shelf, " ", c.State))
		}
		slices.Sort(out)
		return out
	}
	if diff := cmp.Diff([]string{"  lendable", "M1 A lendable", "M2 B reference"}, copies()); diff != "" {
		t.Error(diff)
	}
	more := marcFile(marc.ISO2709, marcBook("Emma", append(items, bookfile.Item{Barcode: "M3", Shelf: "C", Reference: true})...))
	a := w.send(t, importingTable("", "application/marc", more)).want(t, 200, "")
	if diff := cmp.Diff([]string{`1 differs book_differs "Emma"`}, marcResults(t, a)); diff != "" {
		t.Error(diff)
	}
	w.send(t, importingTable("?update=true", "application/marc", more)).want(t, 200, "")
	if diff := cmp.Diff([]string{"  lendable", "M1 A lendable", "M2 B reference", "M3 C reference"}, copies()); diff != "" {
		t.Error(diff)
	}
}
