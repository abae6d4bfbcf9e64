package booksearch_test

import (
	"fmt"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/sqlstore"
	"example.org/library/storetest"
	"example.org/library/storetest/fixture"
)

// TestTitlesThatBeginAreSuggestedHoweverManyBooksHaveTheWord has one title that begins so behind
// more books with the word than are looked at.
func TestTitlesThatBeginAreSuggestedHoweverManyBooksHaveTheWord(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		store.Limits.Suggested = 10
		var books []library.Book
		for i := range 40 {
			books = append(books, fixture.NewBook(library.BookFields{Title: fmt.Sprintf("The water of river %d", i)}))
		}
		last := fixture.NewBook(library.BookFields{Title: "Water"})
		addInTurn(t, store, append(books, last))
		got, err := store.Suggestions(t.Context(), search.NewTyped("wat"))
		testkit.NoError(t, err)
		if len(got) != search.MaxSuggestions || got[0] != (search.Suggestion{Kind: search.TitleSuggestion, Value: "Water", BookID: last.ID}) {
			t.Errorf("suggestions are %v", got)
		}
	})
}

// TestBothDatabasesLookAtTheSameBooksOfManyForSuggestions edits the first books, so that PostgreSQL
// has them behind the others.
func TestBothDatabasesLookAtTheSameBooksOfManyForSuggestions(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		const most = 10
		store.Limits.Suggested = most
		var books []library.Book
		for i := range 4 * most {
			books = append(books, fixture.NewBook(library.BookFields{Title: fmt.Sprintf("River %d", i), Subjects: []string{fmt.Sprintf("Water %d", i)}}))
		}
		addInTurn(t, store, books)
		for _, b := range books[:most/2] {
			b.Description = "Edited"
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.UpdateBook(t.Context(), b) }))
		}
		for _, sorted := range []int{library.MaxRanked, most} { // a few are sorted; many are found on a walk
			store.Limits.Sorted = sorted
			got, err := store.Suggestions(t.Context(), search.NewTyped("wat"))
			testkit.NoError(t, err)
			testkit.Diff(t, storetest.SuggestionsByHand(books[:most], "wat"), got)
		}
	})
}
