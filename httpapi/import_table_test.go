package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
	"example.org/library/bookfile"
	"example.org/library/internal/marc"
)

func importingTable(query, kind, body string) request {
	return request{as: peterParker, method: http.MethodPost, path: importPath + query, body: body, header: field("Content-Type", kind)}
}

// tableResults is the outcomes of a table, as short as a person would say them:
// line, outcome, code, title, authors, ISBN, warnings.
func tableResults(t *testing.T, a reply) (out []string) {
	t.Helper()
	for _, r := range decode[api.TableImport](t, a).Results {
		text := fmt.Sprint(r.Line, " ", r.Outcome)
		if r.Code != "" {
			text += " " + r.Code
		}
		if r.Book != nil {
			text += fmt.Sprintf(" %q %q %q", r.Book.Title, r.Book.Authors, r.Book.ISBN)
		}
		for _, w := range r.Warnings {
			text += " " + w.Field + " " + w.Code
		}
		out = append(out, text)
	}
	return out
}

const smallTable = `Titel;Autor 1;author2;EAN;Farbe
Emma;Jane Austen;;978-0-14-143958-7;A1
Catalogue;Smith\; Sons; Jones;9780141439588;

Clean Code;;;0-13-235088-2;
;Nobody;;;
one cell
5" disks;;;;
`

func TestImportingATable(t *testing.T) {
	t.Parallel()
	want := []string{
		`2 added "Emma" ["Jane Austen"] "978-0-14-143958-7"`,
		`3 added "Catalogue" ["Smith; Sons" "Jones"] "9780141439588" isbn isbn_checksum`,
		`5 unchanged "Clean Code" [] "0-13-235088-2"`,
		`6 invalid invalid "" ["Nobody"] ""`,
		`7 invalid cell_count`,
		`8 invalid quote_inside`,
	}
	table := strings.Replace(smallTable, `Smith\; Sons; Jones`, `"Smith\; Sons";Jones`, 1)
	for _, query := range []string{"?dryRun=true", "", "?update=true"} {
		w := newWorld(t)
		a := w.send(t, importingTable(query, "text/csv", table)).want(t, 200, "")
		if diff := cmp.Diff(want, tableResults(t, a)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
		got := decode[api.TableImport](t, a)
		if diff := cmp.Diff([]string{"Farbe"}, got.Ignored); diff != "" || got.Next != nil || got.Charset != "" {
			t.Errorf("ignored %v, next %v, charset %q", got.Ignored, got.Next, got.Charset)
		}
		found := len(w.send(t, request{as: bruceWayne, path: "/books?q=emma"}).want(t, 200, "").books(t))
		if isDry := query == "?dryRun=true"; isDry != (found == 0) {
			t.Errorf("%s: %d books are there", query, found)
		}
	}
}

func TestThePreviewOfAnImportShowsABookAsItWillBeKept(t *testing.T) {
	t.Parallel()
	subjects := []string{"Liebe", "  ", "LIEBE", "Café", " cafe "}
	twice := bookfile.Book{BookFields: api.BookFields{Title: "Emma", Language: "en", Subjects: subjects}}
	for kind, file := range map[string]string{
		"text/csv":         "title;language;subjects\n Emma ;eng;\"" + strings.Join(subjects, "; ") + "\"\n",
		"application/marc": marcFile(marc.ISO2709, twice),
	} {
		w := newWorld(t)
		preview := decode[api.TableImport](t, w.send(t, importingTable("?dryRun=true", kind, file)).want(t, 200, "")).Results[0]
		w.send(t, importingTable("", kind, file)).want(t, 200, "")
		kept := w.send(t, request{as: bruceWayne, path: "/books?q=emma"}).want(t, 200, "").books(t)
		if diff := cmp.Diff([]string{"Liebe", "Café"}, kept[0].Subjects); diff != "" {
			t.Errorf("%s: kept (-want +got)\n%s", kind, diff)
		}
		preview.Book.Kind = "book" // which the file does not say
		if diff := cmp.Diff(api.RowFields(kept[0].BookFields), preview.Book.RowFields); diff != "" {
			t.Errorf("%s: the preview (-kept +shown)\n%s", kind, diff)
		}
	}
}

func TestWhatIsNoTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.send(t, request{as: peterParker, path: "/books"}).want(t, 200, "").tag()
	rows := func(n int) string { return "title\n" + strings.Repeat("T\n", n) }
	for _, c := range []struct {
		rule   string
		ask    request
		status int
		code   string
		says   string
	}{
		{"nothing", importingTable("", "text/csv", ""), 400, "file_empty", "The file is empty."},
		{"heading alone", importingTable("", "text/csv", "title\n"), 400, "file_no_rows", ""},
		{"no title", importingTable("", "text/csv", "Buch,Wer\na,b\n"), 400, "file_no_title", `"Buch", "Wer"`},
		{"workbook", importingTable("", "text/csv", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 400, "file_excel", "This is an Excel workbook; "},
		{"MARC", importingTable("", "text/csv", "00714cam a2200205 a 4500001"), 400, "file_marc", ".mrc"},
		{"unreadable heading", importingTable("", "text/csv", "ti\"tle\nT\n"), 400, "file_heading", "line 1"},
		{"too many rows", importingTable("", "text/csv", rows(1001)), 400, "import_size", ""},
		{"more than 1 MiB", importingTable("", "text/csv", "title\n"+strings.Repeat("x", 1<<20)), 413, "body_too_large", ""},
		{"unknown charset", importingTable("", "text/csv; charset=koi8-r", rows(1)), 415, "unknown_charset", ""},
		{"another kind of text", importingTable("", "text/plain", rows(1)), 415, "not_json", "text/csv"},
		{"bad part", importingTable("?part=first", "text/csv", rows(1)), 400, "bad_query", ""},
		{"bad line", importingTable("?line=0", "text/csv", rows(1)), 400, "bad_query", ""},
		{"a part of JSON", importing("?part=more", "[]"), 400, "bad_query", ""},
		{"a reader", request{as: bruceWayne, method: http.MethodPost, path: importPath, body: rows(1), header: field("Content-Type", "text/csv")}, 403, "role_missing", ""},
	} {
		a := w.send(t, c.ask).want(t, c.status, c.code)
		if !strings.Contains(decode[api.Error](t, a).Message, c.says) {
			t.Errorf("%s: %s", c.rule, a.body)
		}
	}
	w.send(t, importingTable("?dryRun=true", "text/csv", rows(1000))).want(t, 200, "")
	if after := w.send(t, request{as: peterParker, path: "/books"}).tag(); after != before {
		t.Error("one of them has changed something")
	}
}

// A client that does not know what CSV is sends a file in parts, whatever its
// length.
func TestALongTableIsSentInParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var file strings.Builder
	file.WriteString("\ufefftitle;description\n")
	const books = 2500
	for i := range books {
		fmt.Fprintf(&file, "Volume %d;\"Größe; \n„%d“\"\n", i, i)
	}
	text, heading, at, query, charset := file.String(), "", 0, "", ""
	var got []api.ImportResult
	for requests := 0; at < len(text); requests++ {
		if requests > 20 {
			t.Fatal("there is no end")
		}
		end, part := min(at+64<<10, len(text)), "more"
		if end == len(text) {
			part = "last"
		}
		a := w.send(t, importingTable("?part="+part+query, "text/csv"+charset, heading+text[at:end])).want(t, 200, "")
		answer := decode[api.TableImport](t, a)
		got = append(got, answer.Results...)
		if answer.Next == nil {
			break
		}
		at += answer.Next.Byte - len(heading)
		heading, query, charset = text[:answer.Next.Heading], fmt.Sprint("&line=", answer.Next.Line), "; charset="+answer.Charset
	}
	if len(got) != books {
		t.Fatalf("%d rows", len(got))
	}
	for i, r := range got {
		if r.Outcome != "added" || r.Line != 2+2*i || r.Book.Title != fmt.Sprint("Volume ", i) {
			t.Fatalf("row %d: %+v, %+v", i, r, r.Book)
		}
	}
}

func TestAPartSaysWhereTheNextBegins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct {
		rule, query, body string
		rows              int
		next              *api.NextPart
	}{
		{"a row without an end is left", "?part=more", "title\nT\nU", 1, &api.NextPart{Heading: 6, Byte: 8, Line: 3}},
		{"lines go on from where they are said to", "?part=more&line=17", "title\nT\nU", 1, &api.NextPart{Heading: 6, Byte: 8, Line: 18}},
		{"not one row", "?part=more", "title\nT", 0, &api.NextPart{Heading: 6, Byte: 6, Line: 2}},
		{"the last part has no next", "?part=last", "title\nT\nU", 2, nil},
		{"unless it has too many rows", "?part=last", "title\n" + strings.Repeat("T\n", 1001), 1000, &api.NextPart{Heading: 6, Byte: 2006, Line: 1002}},
		{"exactly as many rows as fit", "?part=last", "title\n" + strings.Repeat("T\n", 1000) + "\n", 1000, nil},
		{"a last part of blank lines", "?part=last", "title\n\n\n", 0, nil},
	} {
		got := decode[api.TableImport](t, w.send(t, importingTable(c.query+"&dryRun=true", "text/csv", c.body)).want(t, 200, ""))
		if diff := cmp.Diff(c.next, got.Next); diff != "" || len(got.Results) != c.rows {
			t.Errorf("%s: %d rows, next (-want +got)\n%s", c.rule, len(got.Results), diff)
		}
	}
}

func TestAnImpossibleISBNIsKeptAndPointedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for isbn, want := range map[string]bool{
		"978-0-13-235088-4": false, "0132350882": false, "9780132350885": true, "0132350883": true, "978013235088": true, "A7": true, "5901234123457": true, "": false,
	} {
		a := w.send(t, importing("", fmt.Sprintf(`[{"title":"With %s","isbn":%q}]`, isbn, isbn))).want(t, 200, "")
		r := decode[[]api.ImportResult](t, a)[0]
		if got := len(r.Warnings) == 1 && r.Warnings[0].Code == "isbn_checksum"; got != want {
			t.Errorf("%q: %+v", isbn, r)
		}
		if r.Outcome == "added" && w.send(t, request{as: peterParker, path: "/books/" + r.Identifier}).book(t).ISBN != isbn {
			t.Errorf("%q is not kept", isbn)
		}
	}
}

// The answer is made twice: to be saved under the key, and to be sent.
func TestAWarningOfAFileIsThereOnceUnderAnIdempotencyKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := importingTable("", "text/csv", "title,isbn\nEmma,9780141439588\n")
	r.header.Set("Idempotency-Key", "k")
	want := []string{`2 added "Emma" [] "9780141439588" isbn isbn_checksum`}
	for _, which := range []string{"the answer", "the answer again"} {
		if diff := cmp.Diff(want, tableResults(t, w.send(t, r).want(t, 200, ""))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", which, diff)
		}
	}
}
