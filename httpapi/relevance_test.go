package httpapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library"
)

func TestWhatFitsAQuestionBestComesFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addBooks(t,
		library.BookFields{Title: "Zebras", Description: "In zanzibar street"},
		library.BookFields{Title: "Atlas", Publisher: "Street & Zanzibar"},
		library.BookFields{Title: "Zanzibar", Authors: []string{"Della Street"}},
		library.BookFields{Title: "Streets", Subtitle: "of Zanzibar"},
		library.BookFields{Title: "A Zanzibar Street in Winter"},
		library.BookFields{Title: "Zanzibar Streets"},
		library.BookFields{Title: "The Zanzibar Street"},
	)
	want := []string{"The Zanzibar Street", "A Zanzibar Street in Winter", "Zanzibar Streets", "Streets", "Zanzibar", "Atlas", "Zebras"}
	for _, path := range []string{"/books?sort=relevance&q=zanzibar+street", "/books?sort=relevance&q=zanzibar+street&limit=2"} {
		var got []string
		for path != "" {
			a := w.send(t, request{as: bruceWayne, path: path}).want(t, 200, "")
			got, path = append(got, titles(a.books(t))...), ""
			if next := nextPage(t, a); next != nil {
				path = "/books?" + next.RawQuery
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("titles (-want +got)\n%s", diff)
		}
	}
}

func TestAnOrderByRelevanceNeedsAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, query := range []string{"sort=relevance", "sort=relevance&q=+", "sort=relevance&author=martin"} {
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
