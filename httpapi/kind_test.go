package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestTheKindOfABook(t *testing.T) {
	t.Parallel()
	withEachDatabase(t, func(t *testing.T, w *world) {
		put := func(body string) request {
			return request{as: peterParker, method: http.MethodPut, path: bookPath, body: body}
		}
		w.send(t, put(`{"title":"Emma","kind":"Film"}`)).want(t, 400, "invalid")
		if b := w.send(t, put(`{"title":"Emma","kind":"film"}`)).want(t, 200, "").book(t); b.Kind != "film" {
			t.Errorf("it is a %q", b.Kind)
		}
		for query, want := range map[string]int{"kind=film": 1, "kind=film&q=emma": 1, "kind=map": 0} {
			if n := len(w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 200, "").books(t)); n != want {
				t.Errorf("%s: %d books", query, n)
			}
		}
		for _, query := range []string{"kind=movie", "kind=film&kind=film", "kind="} {
			w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 400, "bad_query")
		}
		facets := string(w.send(t, request{as: bruceWayne, path: "/books/facets?q=emma"}).want(t, 200, "").body)
		if !strings.Contains(facets, `"kinds":[{"value":"film","count":1}]`) {
			t.Error(facets)
		}

		table := "identifier,title,Medienart\n" + cleanCode + ",Emma,"
		w.send(t, importingTable("?update=true", "text/csv", table+"\n")).want(t, 200, "")
		a := w.send(t, importingTable("?update=true", "text/csv", table+"DVD\n")).want(t, 200, "")
		if !strings.Contains(string(a.body), `"field":"kind"`) {
			t.Errorf("a row of no kind: %s", a.body)
		}
		if b := w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 200, "").book(t); b.Kind != "film" {
			t.Errorf("after rows that say nothing it is a %q", b.Kind)
		}
		w.send(t, importingTable("?update=true", "text/csv", table+" GAME\n")).want(t, 200, "")
		if b := w.send(t, request{as: bruceWayne, path: bookPath}).want(t, 200, "").book(t); b.Kind != "game" {
			t.Errorf("after an import it is a %q", b.Kind)
		}
		if b := w.send(t, put(`{"title":"Emma"}`)).want(t, 200, "").book(t); b.Kind != "book" {
			t.Errorf("left out it is a %q", b.Kind)
		}
	})
}

// TestTheCategoryOfAPerson is seen by staff and by the person, and by nobody in a loan.
func TestTheCategoryOfAPerson(t *testing.T) {
	t.Parallel()
	withEachDatabase(t, func(t *testing.T, w *world) {
		bruce := w.send(t, request{as: clarkKent, path: "/users?q=wayne"}).want(t, 200, "").users(t)[0]
		path := "/users/" + bruce.Identifier
		put := func(category string) request {
			return request{as: clarkKent, method: http.MethodPut, path: path, body: `{"email":"bruce.wayne@example.com","firstName":"Bruce","lastName":"Wayne","card":"B-1"` + category + `}`}
		}
		w.send(t, put(`,"category":"`+strings.Repeat("x", 41)+`"`)).want(t, 400, "invalid")
		w.send(t, put(`,"category":"a\nb"`)).want(t, 400, "invalid")
		w.send(t, put(`,"category":" Pupil "`)).want(t, 200, "")
		w.send(t, request{as: bruceWayne, method: http.MethodPut, path: "/me", body: `{"category":"teacher"}`}).want(t, 200, "")
		lent(cleanCode, bruceWayne)(t, w)
		for path, as := range map[string]string{
			path: clarkKent, "/users?category=PUPIL": clarkKent, "/readers?category=%20pupil%20": peterParker, "/codes/B-1": peterParker,
			"/me": bruceWayne, "/me/export": bruceWayne,
		} {
			if body := string(w.send(t, request{as: as, path: path}).want(t, 200, "").body); strings.Count(body, `"category":"Pupil"`) != 1 {
				t.Errorf("%s: %s", path, body)
			}
		}
		for path, as := range map[string]string{"/loans": peterParker, bookPath: peterParker, "/readers?category=teacher": peterParker} {
			if body := string(w.send(t, request{as: as, path: path}).want(t, 200, "").body); strings.Contains(body, "category") {
				t.Errorf("%s: %s", path, body)
			}
		}
		w.send(t, put("")).want(t, 200, "")
		if body := string(w.send(t, request{as: clarkKent, path: path}).want(t, 200, "").body); strings.Contains(body, "category") {
			t.Errorf("left out it stays: %s", body)
		}
	})
}
