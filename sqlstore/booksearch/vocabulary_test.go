package booksearch_test

import (
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/storetest/fixture"
)

// TestAWordIsFoundBehindManyThatNoBookHas has words in the vocabulary whose books are gone.
func TestAWordIsFoundBehindManyThatNoBookHas(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		var title string
		for i := range 26 * 26 {
			word := "qua" + string(rune('a'+i/26)) + string(rune('a'+i%26))
			if title += " " + word; i%26 < 25 {
				continue
			}
			b := fixture.NewBook(library.BookFields{Title: title})
			title = ""
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.DeleteBook(t.Context(), b.ID) }))
		}
		if begins, err := store.BeginsWord(t.Context(), "qua"); begins || err != nil {
			t.Errorf("words of no book: %v, %v", begins, err)
		}
		b := fixture.NewBook(library.BookFields{Title: "Quazzz"})
		testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
		if begins, err := store.BeginsWord(t.Context(), "qua"); !begins || err != nil {
			t.Errorf("the last word: %v, %v", begins, err)
		}
	})
}
