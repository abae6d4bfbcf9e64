package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/api"
)

// withEachDatabase runs a test on both databases.
func withEachDatabase(t *testing.T, test func(t *testing.T, w *world)) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, func(s *setup) { s.open = open }))
		})
	}
}

const bookHeading = "identifier,isbn,title,authors,description,subtitle,publisher,published,series,volume,language,subjects,kind,copies,barcode,shelf\n"

func TestExportsAreFiles(t *testing.T) {
	t.Parallel()
	withEachDatabase(t, func(t *testing.T, w *world) {
		w.send(t, request{as: peterParker, method: http.MethodPost, path: "/imports/books", body: `[{"title":"=Sum, \"2\"","authors":["a;b","c"],"barcode":["E-1","E-2"],"shelf":"A 1"}]`}).want(t, 200, "")
		for _, c := range []struct{ path, media, name, want string }{
			{"/exports/books?q=sum", "text/csv; charset=utf-8", "books.csv", bookHeading + `ID,,"=Sum, ""2""",a\;b; c,,,,,,,,,book,2,E-1; E-2,A 1` + "\n"},
			{"/exports/books?format=csv&spreadsheet=true&separator=semicolon&q=sum", "text/csv; charset=utf-8", "books.csv", "\ufeff" + strings.ReplaceAll(bookHeading, ",", ";") + `ID;;"'=Sum, ""2""";"a\;b; c";;;;;;;;;book;2;"E-1; E-2";A 1` + "\n"},
			{"/exports/books?format=json&q=sum", "application/json", "books.json", "[\n" + `{"identifier":"ID","title":"=Sum, \"2\"","authors":["a;b","c"],"kind":"book","copies":2,"barcode":["E-1","E-2"],"shelf":"A 1"}` + "\n]\n"},
			{"/exports/books?format=json&q=nothing", "application/json", "books.json", "[]\n"},
			{"/exports/users?q=wayne", "text/csv; charset=utf-8", "users.csv", "email,first name,last name,card,group,category,roles,locale,reminders,active,note,block\nbruce.wayne@example.com,Bruce,Wayne,,,,LIBRARY_USER,en,true,true,,\n"},
			{"/exports/users?format=json&q=wayne&active=true", "application/json", "users.json", "[\n" + `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","roles":["LIBRARY_USER"],"locale":"en","reminders":true,"active":true}` + "\n]\n"},
			{"/exports/users?format=json&active=false", "application/json", "users.json", "[]\n"},
		} {
			as := map[bool]string{true: peterParker, false: clarkKent}[strings.Contains(c.path, "books")]
			a := w.send(t, request{as: as, path: c.path}).want(t, 200, "")
			if h := a.header; h.Get("Content-Type") != c.media || h.Get("Content-Disposition") != "attachment; filename="+c.name || h.Get("Cache-Control") != "no-store" || h.Get("X-Total-Count") == "" {
				t.Errorf("%s: %v", c.path, h)
			}
			got := string(a.body)
			if i := strings.Index(c.want, "ID"); i >= 0 {
				got = got[:i] + "ID" + got[min(i+36, len(got)):]
			}
			if got != c.want {
				t.Errorf("%s: got\n%s\nwant\n%s", c.path, got, c.want)
			}
		}
	})
}

// TestAnExportImportsAsItWas sends back every kind of file that is exported.
func TestAnExportImportsAsItWas(t *testing.T) {
	t.Parallel()
	withEachDatabase(t, func(t *testing.T, w *world) {
		for format, media := range map[string]string{"csv": "text/csv", "json": "application/json", "marc": "application/marc", "marcxml": "application/marcxml+xml"} {
			file := w.send(t, request{as: clarkKent, path: "/exports/books?format=" + format}).want(t, 200, "")
			if got := file.header.Get("Content-Type"); !strings.HasPrefix(got, media) {
				t.Errorf("%s is %s", format, got)
			}
			a := w.send(t, request{as: peterParker, method: http.MethodPost, path: "/imports/books?update=true", body: string(file.body), header: field("Content-Type", media)}).want(t, 200, "")
			if got := strings.Count(string(a.body), `"outcome":"unchanged"`); got != 10 {
				t.Errorf("%s: %d of 10 books are unchanged: %s", format, got, a.body)
			}
		}
		people := w.send(t, request{as: clarkKent, path: "/exports/users?format=json"}).want(t, 200, "")
		a := w.send(t, request{as: clarkKent, method: http.MethodPost, path: "/imports/users?update=true", body: string(people.body)}).want(t, 200, "")
		if strings.Count(string(a.body), `"unchanged"`) != strings.Count(string(people.body), `"email"`) {
			t.Errorf("people: %s", a.body)
		}
	})
}

func TestExportsAreForStaff(t *testing.T) {
	t.Parallel()
	withEachDatabase(t, func(t *testing.T, w *world) {
		for _, c := range []struct {
			as, path string
			status   int
			code     string
			field    string
		}{
			{bruceWayne, "/exports/books", 403, "role_missing", ""},
			{peterParker, "/exports/users", 403, "role_missing", ""},
			{peterParker, "/exports/books?format=pdf", 400, "bad_query", "format"},
			{clarkKent, "/exports/users?format=marc", 400, "bad_query", "format"},
			{peterParker, "/exports/books?limit=3", 400, "bad_query", "limit"},
			{peterParker, "/exports/books?format=marc&spreadsheet=true", 400, "bad_query", "spreadsheet"},
			{peterParker, "/exports/books?separator=tab", 400, "bad_query", "separator"},
			{peterParker, "/exports/books?sort=title", 400, "bad_query", "sort"},
			{peterParker, "/exports/books?fuzzy=true", 400, "bad_query", "q"},
			{clarkKent, "/exports/users?role=x", 400, "bad_query", "role"},
			{"", "/exports/books", 401, "missing_token", ""},
		} {
			a := w.send(t, request{as: c.as, path: c.path}).want(t, c.status, c.code)
			if c.field != "" && !strings.Contains(string(a.body), fmt.Sprintf(`"field":%q`, c.field)) {
				t.Errorf("%s: %s", c.path, a.body)
			}
			if (c.status != 400) != (a.header.Get("WWW-Authenticate") != "") {
				t.Errorf("%s: the challenge is %q", c.path, a.header.Get("WWW-Authenticate"))
			}
		}
	})
}

func TestAnExportOfMisspeltWordsSaysWhatItFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.send(t, request{as: peterParker, path: "/exports/books?fuzzy=true&q=clen+code"}).want(t, 200, "")
	if a.header.Get("X-Corrected-Query") != "clean%20code" || !strings.Contains(string(a.body), cleanCode) {
		t.Errorf("%v %s", a.header, a.body)
	}
}

func TestALongExportIsWholeAndEndsWithTheStandingOfItsReader(t *testing.T) {
	t.Parallel()
	withEachStanding(t, func(t *testing.T, s *standing, losses []loss) {
		last := s.longList(t)
		_, credentials := s.newCaller(t, library.RoleCurator)
		r, whole := s.readSlowly("/exports/books?format=json", credentials, func() {})
		var books []api.Book
		if err := json.Unmarshal(r.Body.Bytes(), &books); err != nil || !whole || !strings.Contains(r.Body.String(), last.ID) {
			t.Fatalf("whole: %v, %v, %d books", whole, err, len(books))
		}
		for _, l := range losses {
			u, credentials := s.newCaller(t, library.RoleCurator)
			r, whole := s.readSlowly("/exports/books", credentials, func() { l.happen(t, s, u) })
			if whole || r.Code != 200 || strings.Contains(r.Body.String(), last.ID) {
				t.Errorf("%s: whole: %v, status %d, %d pieces afterwards", l.name, whole, r.Code, r.after)
			}
		}
	})
}
