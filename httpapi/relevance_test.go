package httpapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnOrderByRelevanceNeedsAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, query := range []string{"sort=relevance", "sort=relevance&q=+", "sort=relevance&author=martin",
		"sort=relevance&q=%1B", "fuzzy=true&q=%1B", "fuzzy=true&sort=relevance", "fuzzy=true&sort=relevance&q=a%1B"} {
		a := w.send(t, request{as: bruceWayne, path: "/books?" + query}).want(t, 400, "bad_query")
		if diff := cmp.Diff([]string{"q"}, a.fields()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", query, diff)
		}
	}
	all := w.send(t, request{as: bruceWayne, path: "/books?sort=relevance&q=%26"}).want(t, 200, "").books(t)
	if len(all) != 10 {
		t.Errorf("a question without words finds %d books, want all 10", len(all))
	}
}
