package httpapi_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
)

func TestAMisspeltQuestionIsCorrectedOnEveryPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var many []library.BookFields
	for i := range 5 {
		many = append(many, library.BookFields{Title: fmt.Sprintf("Frankenstein & Söhne %d", i), Language: "de"})
	}
	w.addBooks(t, many...)
	for _, sort := range []string{"title", "-created", "relevance", "published"} {
		path, found := "/books?fuzzy=true&limit=2&q=frankenstien+S%C3%B6hne&sort="+sort, 0
		for range 2 { // the second answer comes from the cache
			w.send(t, request{as: bruceWayne, path: path}).want(t, 200, "")
		}
		for pages := 0; path != ""; pages++ {
			a := w.send(t, request{as: bruceWayne, path: path}).want(t, 200, "")
			if got := a.header.Get("X-Corrected-Query"); got != "frankenstein%20S%C3%B6hne" {
				t.Errorf("%s: page %d is corrected to %q", sort, pages, got)
			}
			found += len(a.books(t))
			if path = ""; nextPage(t, a) != nil {
				path = "/books?" + nextPage(t, a).RawQuery
			}
			if pages == 0 { // what comes now could be meant as well, but the list goes on as it began
				w.addBooks(t, library.BookFields{Title: "Frankenstien Söhne " + strings.ReplaceAll(sort, "-", "")})
			}
		}
		if found != 5 {
			t.Errorf("%s: %d books on all pages, want 5", sort, found)
		}
		for _, b := range w.send(t, request{as: bruceWayne, path: "/books?q=frankenstien"}).want(t, 200, "").books(t) {
			w.send(t, request{as: peterParker, method: "DELETE", path: "/books/" + b.Identifier}).want(t, 204, "")
		}
	}
}

func TestWhatNeedsNoCorrectionHasNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for query, want := range map[string]string{
		"fuzzy=true&q=clean": "", "fuzzy=false&q=claen": "", "q=claen": "", "fuzzy=true&q=zzzzzz": "", "fuzzy=true&q=claen+zzzzzz": "", "fuzzy=true&q=%26": "",
		"fuzzy=true&q=claen": "clean", "fuzzy=true&q=claen&author=nobody": "clean", "fuzzy=true&q=claen&borrowed=true": "clean",
	} {
		a := w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 200, "")
		if got, _ := url.QueryUnescape(a.header.Get("X-Corrected-Query")); got != want {
			t.Errorf("%s is corrected to %q, want %q", query, got, want)
		}
	}
	for _, query := range []string{"fuzzy=true", "fuzzy=true&q=+", "fuzzy=yes&q=a"} {
		w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 400, "bad_query")
	}
}

func TestAPageMayReadTheCorrection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.send(t, request{as: bruceWayne, path: "/books?fuzzy=true&q=claen", header: field("Origin", clientOrigin)}).want(t, 200, "")
	testkit.Contains(t, a.header.Get("Access-Control-Expose-Headers"), "X-Corrected-Query", "X-Total-Count")
	// A browser that has the answer takes the headers of a 304 for its own.
	again := field("Origin", clientOrigin)
	again.Set("If-None-Match", a.header.Get("ETag"))
	a = w.send(t, request{as: bruceWayne, path: "/books?fuzzy=true&q=claen", header: again}).want(t, 304, "")
	testkit.Contains(t, a.header.Get("Access-Control-Expose-Headers"), "X-Corrected-Query", "X-Total-Count")
}
