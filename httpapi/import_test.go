package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/api"
)

const importPath = "/imports/books"

func importing(query, body string) request {
	return request{as: peterParker, method: http.MethodPost, path: importPath + query, body: body}
}

// results expects the outcomes of an import, as short as a person would say
// them: outcome, code, fields. An identifier is there unless one is not due.
func results(want ...string) func(*testing.T, *world, reply) {
	return func(t *testing.T, _ *world, a reply) {
		t.Helper()
		var got []string
		for _, r := range decode[[]api.ImportResult](t, a) {
			text := r.Outcome
			if r.Code != "" {
				text += " " + r.Code
			}
			for _, d := range r.Details {
				text += " " + d.Field
			}
			if r.Identifier == "" {
				text += " (none)"
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got)\n%s\n%.1000s", diff, a.body)
		}
	}
}

const cleanCodeRow = `{"isbn":"0-13-235088-2","title":"Clean Code"}`

func TestImportingBooks(t *testing.T) {
	t.Parallel()
	play(t, []scenario{
		{rule: "a book that is not there is added", ask: importing("", `[{"title":"Emma","authors":["Jane Austen"]}]`), status: 200,
			then: func(t *testing.T, w *world, a reply) {
				results("added")(t, w, a)
				id := decode[[]api.ImportResult](t, a)[0].Identifier
				isBook(api.Book{Identifier: id, BookFields: api.BookFields{Title: "Emma", Authors: []string{"Jane Austen"}}})(t, w, w.send(t, request{as: bruceWayne, path: "/books/" + id}).want(t, 200, ""))
			}},
		{rule: "each row has its outcome, in order", status: 200,
			ask:  importing("", `[{"title":"Emma"},`+cleanCodeRow+`,{"isbn":"9780132350884","title":"Dirty Code"},{},{"identifier":"`+unknownID+`","title":"U"}]`),
			then: results("added", "unchanged", "differs book_differs title", "invalid invalid title (none)", "added")},
		{rule: "an update replaces what is given", ask: importing("?update=true", `[{"identifier":"`+strings.ToUpper(cleanCode)+`","title":"Dirty Code"}]`), status: 200,
			then: func(t *testing.T, w *world, a reply) {
				results("updated")(t, w, a)
				b := w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 200, "").book(t)
				if b.Title != "Dirty Code" || b.ISBN != "978-0-13-235088-4" || b.Description == "" || len(b.Authors) != 1 {
					t.Errorf("the book is %+v", b)
				}
			}},
		{rule: "update=false is the default", ask: importing("?update=false&dryRun=false", `[{"identifier":"`+cleanCode+`","title":"Dirty Code"}]`), status: 200,
			then: results("differs book_differs title")},
		{rule: "a lent book is updated and stays lent", given: lent(cleanCode, bruceWayne), status: 200,
			ask: importing("?update=true", `[{"identifier":"`+cleanCode+`","title":"Dirty Code","borrowed":false}]`),
			then: func(t *testing.T, w *world, a reply) {
				results("updated")(t, w, a)
				b := w.send(t, request{as: peterParker, path: bookPath}).want(t, 200, "").book(t)
				if b.Title != "Dirty Code" || b.BorrowedBy == nil || *b.BorrowedBy != *bruce {
					t.Errorf("the book is %+v, borrowed by %+v", b, b.BorrowedBy)
				}
			}},
		{rule: "a dry run adds nothing", ask: importing("?dryRun=true", `[{"title":"Emma"},{"title":"Emma"},{"identifier":"`+unknownID+`","title":"U"},`+cleanCodeRow+`]`), status: 200,
			then: func(t *testing.T, w *world, a reply) {
				results("added (none)", "unchanged (none)", "added (none)", "unchanged")(t, w, a)
				w.send(t, request{as: bruceWayne, path: "/books/" + unknownID}).want(t, 404, "book_not_found")
			}},
		{rule: "a dry run updates nothing", ask: importing("?dryRun=true&update=true", `[{"identifier":"`+cleanCode+`","title":"Dirty Code"}]`), status: 200,
			then: func(t *testing.T, w *world, a reply) {
				results("updated")(t, w, a)
				if b := w.send(t, request{as: bruceWayne, path: bookPath}).book(t); b.Title != "Clean Code" {
					t.Errorf("the book is %+v", b)
				}
			}},
		{rule: "several books may be meant", status: 200,
			given: added("/books", peterParker, `{"isbn":"0132350882","title":"Clean Code"}`),
			ask:   importing("?update=true", `[`+cleanCodeRow+`,{"isbn":"0132350882","title":"Dirty Code"}]`),
			then:  results("unchanged", "invalid ambiguous_book identifier identifier (none)")},
		{rule: "and none of them is, without update either", status: 200,
			given: added("/books", peterParker, `{"isbn":"0132350882","title":"Clean Code"}`),
			ask:   importing("", `[{"isbn":"0132350882","title":"Dirty Code"}]`),
			then:  results("differs book_differs identifier identifier (none)")},
		{rule: "a difference says what to do", ask: importing("", `[{"identifier":"`+cleanCode+`","title":"Dirty Code"}]`), status: 200,
			then: func(t *testing.T, w *world, a reply) {
				want := api.ImportResult{Outcome: "differs", Identifier: cleanCode, Code: "book_differs",
					Message: "The library's record of this book differs; send update=true to replace it.",
					Details: []api.Detail{{Field: "title", Message: "is different in the library", Code: "differs_from_library"}}}
				if diff := cmp.Diff([]api.ImportResult{want}, decode[[]api.ImportResult](t, a)); diff != "" {
					t.Errorf("result (-want +got)\n%s", diff)
				}
			}},
		{rule: "a reader cannot import", ask: request{as: bruceWayne, method: http.MethodPost, path: importPath, body: "["}, status: 403, code: "role_missing",
			then: func(t *testing.T, _ *world, a reply) {
				if challenge := a.header.Get("Www-Authenticate"); !strings.Contains(challenge, `scope="library_curator"`) {
					t.Errorf("WWW-Authenticate %q", challenge)
				}
			}},
		{rule: "an admin cannot import", ask: request{as: clarkKent, method: http.MethodPost, path: importPath, body: "[]"}, status: 403, code: "role_missing"},
		{rule: "nobody imports without a token", ask: request{method: http.MethodPost, path: importPath, body: "[]"}, status: 401, code: "missing_token"},
		{rule: "there is nothing to read", ask: request{as: peterParker, path: importPath}, status: 405, code: "method_not_allowed",
			then: func(t *testing.T, _ *world, a reply) {
				if allow := a.header.Get("Allow"); allow != "POST" {
					t.Errorf("Allow %q", allow)
				}
			}},
		{rule: "nor to replace", ask: request{as: peterParker, method: http.MethodPut, path: importPath, body: "[]"}, status: 405, code: "method_not_allowed"},
		{rule: "other things cannot be imported", ask: request{as: peterParker, method: http.MethodPost, path: "/imports/loans", body: "[]"}, status: 404, code: "no_such_path"},
	})
}

func TestARowThatIsNoBookIsReportedInItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	deep := strings.Repeat("[", 70) + strings.Repeat("]", 70)
	for i, c := range []struct{ rule, element, want string }{
		{"null", `null`, "invalid invalid (none)"},
		{"a string", `"T"`, "invalid invalid (none)"},
		{"a number", `1`, "invalid invalid (none)"},
		{"an array", `[{"title":"T"}]`, "invalid invalid (none)"},
		{"no title", `{}`, "invalid invalid title (none)"},
		{"null for a title", `{"title":null}`, "invalid invalid title (none)"},
		{"a duplicate member", `{"title":"T","title":"T"}`, "invalid invalid title (none)"},
		{"a duplicate further in", `{"title":"T","x":{"y":1,"y":2}}`, "invalid invalid y (none)"},
		{"half a surrogate pair", `{"title":"\ud834"}`, "invalid invalid (none)"},
		{"nested deeply", `{"title":"T","x":` + deep + `}`, "invalid invalid (none)"},
		{"wrong types, all of them named", `{"identifier":1,"title":2,"isbn":[],"description":{},"authors":"A"}`, "invalid invalid identifier title isbn description authors (none)"},
		{"wrong types and broken rules", `{"identifier":"x","title":5,"isbn":"` + strings.Repeat("1", 30) + `"}`, "invalid invalid identifier title isbn (none)"},
		{"a malformed identifier", `{"identifier":"1","title":"T"}`, "invalid invalid identifier (none)"},
		{"text that is none", `{"title":"\u0000","authors":["A",""]}`, "invalid invalid title authors[1] (none)"},
		{"an author that is null", `{"title":"T","authors":[null]}`, "invalid invalid authors (none)"},
		{"unknown members are ignored", `{"title":"Unknown","Title":1,"colour":{"red":1},"borrowed":"x"}`, "added"},
		{"null is absent", `{"title":"Absent","isbn":null,"description":null,"authors":null,"identifier":null}`, "added"},
		{"blank is absent", `{"title":"Blank","isbn":" ","description":"","authors":[]}`, "added"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			body := fmt.Sprintf(`[{"title":"Before %d"}, %s ,{"title":"After %d"}]`, i, c.element, i)
			a := w.send(t, importing("", body)).want(t, 200, "")
			results("added", c.want, "added")(t, w, a)
			for _, r := range decode[[]api.ImportResult](t, a) {
				if r.Outcome == "invalid" && (r.Message == "" || r.Message == "The request is not valid.") {
					t.Errorf("the message is %q", r.Message)
				}
			}
		})
	}
}

func TestWhatIsNoImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.send(t, request{as: peterParker, path: "/books"}).want(t, 200, "").tag()
	const one = `[{"title":"T"}]`
	many := func(n int) string { return "[" + strings.Repeat(`{},`, n-1) + "{}]" }
	for _, c := range []struct {
		rule   string
		ask    request
		status int
		code   string
		fields []string
	}{
		{"an object", importing("", `{"title":"T"}`), 400, "malformed_body", nil},
		{"broken JSON", importing("", `[{"title":"T"}`), 400, "malformed_body", nil},
		{"trailing data", importing("", one+`[]`), 400, "malformed_body", nil},
		{"no books", importing("", `[ ]`), 400, "import_size", nil},
		{"too many books", importing("", many(1001)), 400, "import_size", nil},
		{"very many books", importing("", many(100_000)), 400, "import_size", nil},
		{"more than 1 MiB", importing("", one+strings.Repeat(" ", 1<<20)), 413, "body_too_large", nil},
		{"a form", request{as: peterParker, method: http.MethodPost, path: importPath, body: "a=b", header: field("Content-Type", "application/x-www-form-urlencoded")}, 415, "not_json", nil},
		{"lines of JSON", request{as: peterParker, method: http.MethodPost, path: importPath, body: one, header: field("Content-Type", "application/x-ndjson")}, 415, "not_json", nil},
		{"no body", importing("", ""), 415, "not_json", nil},
		{"an unknown parameter", importing("?dryrun=true", one), 400, "bad_query", []string{"dryrun"}},
		{"values that are neither true nor false", importing("?update=1&dryRun=", one), 400, "bad_query", []string{"update", "dryRun"}},
		{"a parameter given twice", importing("?update=true&update=true", one), 400, "bad_query", []string{"update"}},
		{"a query that is none", importing("?%zz", one), 400, "bad_query", []string{"query"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			a := w.send(t, c.ask).want(t, c.status, c.code)
			if diff := cmp.Diff(c.fields, a.fields()); diff != "" {
				t.Errorf("wrong fields (-want +got)\n%s", diff)
			}
		})
	}
	if after := w.send(t, request{as: peterParker, path: "/books"}).tag(); after != before {
		t.Error("one of them has changed something")
	}
}

func TestAnImportOfAThousandBooksFitsInOneRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var rows []string
	for i := range 1000 {
		rows = append(rows, fmt.Sprintf(`{"title":"Volume %d"}`, i))
	}
	body := "[" + strings.Join(rows, ",") + "]"
	for _, want := range []string{"added", "unchanged"} {
		for i, r := range decode[[]api.ImportResult](t, w.send(t, importing("", body)).want(t, 200, "")) {
			if r.Outcome != want {
				t.Fatalf("row %d: %+v, want %s", i, r, want)
			}
		}
	}
	a := w.send(t, request{as: bruceWayne, path: "/books?q=volume&sort=created&limit=100"}).want(t, 200, "")
	for i, b := range a.books(t) {
		if want := fmt.Sprintf("Volume %d", i); b.Title != want {
			t.Fatalf("in the order of creation, book %d is %q", i, b.Title)
		}
	}
}

func TestAnImportChangesTheTagsOfWhatItChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list := func() string { return w.send(t, request{as: peterParker, path: "/books"}).want(t, 200, "").tag() }
	book := func() string { return w.send(t, request{as: peterParker, path: bookPath}).want(t, 200, "").tag() }
	listTag, tag := list(), book()
	for _, query := range []string{"", "?update=true", "?dryRun=true"} {
		w.send(t, importing(query, `[`+cleanCodeRow+`]`)).want(t, 200, "")
	}
	w.send(t, importing("", `[{"identifier":"`+cleanCode+`","title":"Dirty Code"},{}]`)).want(t, 200, "")
	if list() != listTag || book() != tag {
		t.Error("an import that changed nothing changed a tag")
	}
	w.send(t, importing("?update=true", `[{"identifier":"`+cleanCode+`","title":"Dirty Code"}]`)).want(t, 200, "")
	if list() == listTag || book() == tag {
		t.Error("an import that changed a book left a tag")
	}
	w.send(t, request{as: peterParker, method: http.MethodPut, path: bookPath, body: `{"title":"T"}`, header: field("If-Match", tag)}).want(t, 412, "outdated")
}
