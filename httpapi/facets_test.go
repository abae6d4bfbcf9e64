package httpapi_test

import (
	"fmt"
	"testing"

	"example.org/library"
)

func TestFacetsCountWhatBooksAreAbout(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, w *world) {
		w.addBooks(t,
			library.BookFields{Title: "Zebras", Subjects: []string{"Animals", "Africa"}, Language: "en", Published: 1999},
			library.BookFields{Title: "Zebra fish", Subjects: []string{"animals"}, Language: "de", Published: 1990},
			library.BookFields{Title: "Zebra crossings", Subjects: []string{"animals"}, Language: "de"},
		)
		for query, want := range map[string]string{
			"q=zebra":                        `{"total":3,"exact":true,"subjects":[{"value":"animals","count":3},{"value":"Africa","count":1}],"languages":[{"value":"de","count":2},{"value":"en","count":1}],"kinds":[{"value":"book","count":3}],"decades":[{"value":1990,"count":2}],"availability":{"available":3,"unavailable":0}}`,
			"q=zebra&language=ger&from=1900": `{"total":1,"exact":true,"subjects":[{"value":"animals","count":1}],"languages":[{"value":"de","count":1}],"kinds":[{"value":"book","count":1}],"decades":[{"value":1990,"count":1}],"availability":{"available":1,"unavailable":0}}`,
			"q=nothing-at-all":               `{"total":0,"exact":true,"subjects":[],"languages":[],"kinds":[],"decades":[],"availability":{"available":0,"unavailable":0}}`,
		} {
			if a := w.send(t, request{as: bruceWayne, path: "/books/facets?" + query}).want(t, 200, ""); string(a.body) != want {
				t.Errorf("%s:\ngot  %s\nwant %s", query, a.body, want)
			}
		}
		a := w.send(t, request{as: bruceWayne, path: "/books/facets?fuzzy=true&q=zebrsa+fish"}).want(t, 200, "")
		if fmt.Sprint(find(a.value(t), "total")) != "1" || a.header.Get("X-Corrected-Query") == "" {
			t.Errorf("a misspelt question: %v %s", a.header, a.body)
		}
		for _, bad := range []string{"sort=title", "limit=3", "cursor=x", "language=xx1", "from=0", "fuzzy=true"} {
			w.send(t, request{as: bruceWayne, path: "/books/facets?" + bad}).want(t, 400, "bad_query")
		}
	})
}
