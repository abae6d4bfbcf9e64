package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/internal/testkit"
)

// Of a list that is kept, the books that were borrowed since are read together, and
// the rest is not read again.
func TestOfAListTheChangedBooksAreReadTogether(t *testing.T) {
	t.Parallel()
	store := &failingStore{}
	w := newWorld(t, with(store))
	var fields []library.BookFields
	for i := range 30 {
		fields = append(fields, library.BookFields{Title: fmt.Sprintf("Volume %02d", i)})
	}
	w.addBooks(t, fields...)
	list := request{as: bruceWayne, path: "/books?limit=25&q=volume"}
	var shown []api.Book
	if err := json.Unmarshal(w.send(t, list).want(t, 200, "").body, &shown); err != nil || len(shown) != 25 {
		t.Fatalf("%d books, %v", len(shown), err)
	}
	for q, changed := range map[string]int{"Volume": 1, "vOlume": 2, "voLume": 7, "volUme": 25} {
		reader := w.actor(t, bruceBanner)
		for _, b := range shown[:changed] {
			testkit.NoError(t, testkit.Err(w.service.Borrow(t.Context(), reader, b.Identifier)))
		}
		store.calls.Store(0)
		store.byID.Store(0)
		patched := w.send(t, list).want(t, 200, "")
		if store.calls.Load() != 0 || store.byID.Load() != 1 {
			t.Errorf("%d books were borrowed: %d lists and %d times books were read", changed, store.calls.Load(), store.byID.Load())
		}
		anew := w.send(t, request{as: bruceWayne, path: "/books?limit=25&q=" + q}).want(t, 200, "") // is not kept
		if !bytes.Equal(patched.body, anew.body) || bytes.Count(anew.body, []byte(`"borrowed":true`)) != changed {
			t.Errorf("%d books were borrowed:\n%s\nread anew:\n%s", changed, patched.body, anew.body)
		}
		for _, b := range shown[:changed] {
			testkit.NoError(t, testkit.Err(w.service.Return(t.Context(), reader, b.Identifier)))
		}
		w.send(t, list).want(t, 200, "")
	}
}
