package finding_test

import (
	"errors"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/finding"
	"example.org/library/storetest/fixture"
)

// TestWordsAreTakenForKnownWhenTheyWereCommitted adds a book in a transaction that fails, and then
// in one that does not.
func TestWordsAreTakenForKnownWhenTheyWereCommitted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		failed := errors.New("failed")
		add := func(end error) error {
			return store.Tx(t.Context(), func(tx library.Tx) error {
				if err := tx.AddBook(t.Context(), fixture.NewBook(library.BookFields{Title: "Frankenstein"})); err != nil {
					return err
				}
				return end
			})
		}
		if err := add(failed); !errors.Is(err, failed) || finding.IsLearned(store.Catalogue, "frankenstein") {
			t.Errorf("%v; learned: %v", err, finding.IsLearned(store.Catalogue, "frankenstein"))
		}
		testkit.NoError(t, add(nil))
		if begins, err := store.BeginsWord(t.Context(), "frank"); !begins || err != nil || !finding.IsLearned(store.Catalogue, "frankenstein") {
			t.Errorf("begins a word: %v, %v; learned: %v", begins, err, finding.IsLearned(store.Catalogue, "frankenstein"))
		}
	})
}

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
