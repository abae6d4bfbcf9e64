package sqlstore_test

import (
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/storetest/fixture"
)

// A program that knows neither subjects nor relevance writes the words that it knows of.
func TestWordsThatAnOlderProgramLeftOutAreMadeAgain(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			b := fixture.NewBook(library.BookFields{Title: "Emma", Subjects: []string{"Courtship"}, Subtitle: "A Novel"})
			added := fixture.NewBook(library.BookFields{Title: "The Emma"})
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBooks(t.Context(), []library.Book{b, added}) }))
			sqlstore.Exec(t, store, `UPDATE books SET title = 'Sanditon', title_key = 'sanditon', search_words = 'sanditon', version = 'v2' WHERE id = $1`, b.ID)
			sqlstore.Exec(t, store, `UPDATE books SET title_rank = '', rank_words = '', words_of = '' WHERE id = $1`, added.ID)
			for question, id := range map[string]string{"courtship sanditon": b.ID, "emma": added.ID} {
				q := library.BookQuery{Order: library.ByRelevance}
				q.Ask(question)
				want := map[string]library.Class{b.ID: library.InBlurb, added.ID: library.MostRelevant}[id]
				testkit.NoError(t, store.IndexBooks(t.Context()))
				found, err := store.Books(t.Context(), q)
				if err != nil || len(found) != 1 || found[0].ID != id || found[0].Class != want {
					t.Errorf("%q finds %+v and error %v, want one of class %d", question, found, err, want)
				}
			}
			const late = `SELECT CAST(count(*) AS TEXT) FROM books WHERE words_of <> version`
			if n := sqlstore.Look(t, store, late); n != "0" {
				t.Errorf("the words of %s books are out of date", n)
			}
			const edits = `SELECT CAST(count(*) AS TEXT) FROM changes WHERE kind = 'edited'`
			if n := sqlstore.Look(t, store, edits); n != "1" {
				t.Errorf("%s books were edited for those who follow the events, want the one with other words", n)
			}
		})
	}
}

// What an upload of a cover changes of a book are not its words.
func TestACoverLeavesTheWordsUpToDate(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store := open(t, address(t))
			b := fixture.NewBook(library.BookFields{Title: "Emma"})
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
			b.Version, b.Cover = "v2", "c"
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error {
				return tx.SetCover(t.Context(), b, library.CoverPictures{Small: []byte("s"), Large: []byte("l")})
			}))
			if n := sqlstore.Look(t, store, `SELECT CAST(count(*) AS TEXT) FROM books WHERE words_of <> version`); n != "0" {
				t.Errorf("the words of %s books are out of date", n)
			}
		})
	}
}

// An edit that leaves the words as they are makes a row of an older program one of this.
func TestAnEditLearnsTheWordsOfAnOlderProgram(t *testing.T) {
	t.Parallel()
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := address(t)
			store := open(t, at)
			b := fixture.NewBook(library.BookFields{Title: "Frankenstein"})
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
			sqlstore.Exec(t, store, `DELETE FROM vocabulary`)
			sqlstore.Exec(t, store, `UPDATE books SET words_of = ''`)
			b.Version, b.Published = "v2", 1818
			store = open(t, at) // this program has not written the word
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.UpdateBook(t.Context(), b) }))
			if begins, err := store.BeginsWord(t.Context(), "frankenst"); !begins || err != nil {
				t.Errorf("the word is not known: %v", err)
			}
		})
	}
}
