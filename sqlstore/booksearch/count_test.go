package booksearch_test

import (
	"testing"

	"example.org/library"
	"example.org/library/sqlstore"
)

// TestMatchesOfWordsAreCountedUpToTheLimit counts 31 books with a word. Other filters, and what is available, make no difference.
func TestMatchesOfWordsAreCountedUpToTheLimit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		books := manyRivers(31)
		addInTurn(t, store, books)
		yes := true
		for limit, want := range map[int]int{10: 11, 30: 31, 31: 31} {
			store.Limits.Counted = limit
			for name, q := range map[string]library.BookQuery{
				"words": {}, "available": {Available: &yes}, "filtered": {From: 1900}, "both": {From: 1900, Available: &yes},
			} {
				q.Terms = library.ParseTerms("riv")
				if n, err := store.CountBooks(t.Context(), q); n != want || err != nil {
					t.Errorf("%s, limit %d: %d and error %v, want %d", name, limit, n, err, want)
				}
			}
			for name, q := range map[string]library.BookQuery{"all": {}, "years": {From: 1900}, "available": {Available: &yes}} {
				if n, err := store.CountBooks(t.Context(), q); n != len(books) || err != nil {
					t.Errorf("%s, limit %d: %d and error %v, want all", name, limit, n, err)
				}
			}
		}
	})
}
