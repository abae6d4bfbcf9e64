package booksearch_test

import (
	"fmt"
	"reflect"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/booksearch"
	"example.org/library/storetest"
	"example.org/library/storetest/fixture"
)

// manyRivers are books that all have one word, and subjects, languages and years of all kinds.
func manyRivers(n int) (books []library.Book) {
	for i := range n {
		f := library.BookFields{Title: fmt.Sprintf("Rivers %d", i), Published: 1900 + i, Kind: library.BookKinds[i%5], Language: []string{"en", "de", ""}[i%3]}
		for j := range i % 4 {
			f.Subjects = append(f.Subjects, fmt.Sprintf([]string{"Water %d", "WATER %d"}[i%2], (i+j)%5))
		}
		books = append(books, fixture.NewBook(f))
	}
	return books
}

func addInTurn(t *testing.T, store *sqlstore.Store, books []library.Book) {
	t.Helper()
	for _, b := range books {
		testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.AddBook(t.Context(), b) }))
	}
}

// takeAway lets nothing of a book be available.
func takeAway(t *testing.T, store *sqlstore.Store, b *library.Book) {
	t.Helper()
	b.Stock.Available = 0
	booksearch.Exec(t, store.Catalogue, `UPDATE stock SET available = 0 WHERE seq = (SELECT seq FROM books WHERE id = $1)`, b.ID)
}

// TestFacetsOfManyBooksAreThoseOfSomeThatAreSpreadOverAll looks at 20 of 60 books.
func TestFacetsOfManyBooksAreThoseOfSomeThatAreSpreadOverAll(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		store.Limits.Faceted = 20
		books := manyRivers(60)
		addInTurn(t, store, books)
		var some []library.Book
		unavailable := 0
		for i := range books {
			if i%6 == 2 {
				takeAway(t, store, &books[i])
			}
			if hash := (i + 1) * 2654435769 % (1 << 32); hash*60 < 20<<32 {
				some = append(some, books[i])
				if i%6 == 2 {
					unavailable += 3
				}
			}
		}
		testkit.Equal(t, len(some), 20, "books that are looked at")
		for name, q := range map[string]library.BookQuery{"words": {Terms: library.ParseTerms("riv")}, "years": {From: 1900}} {
			want := storetest.FacetsByHand(some, q)
			want.Total, want.Exact, want.Available, want.Unavailable = 60, false, 60-unavailable, unavailable
			for _, counts := range [][]search.FacetCount[string]{want.Subjects, want.Languages, want.Kinds} {
				for i := range counts {
					counts[i].Count *= 3
				}
			}
			for i := range want.Decades {
				want.Decades[i].Count *= 3
			}
			got, err := store.Facets(t.Context(), q)
			testkit.NoError(t, err)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
			}
		}
		// Few matches are all looked at, and no more are told of than are counted.
		few := library.BookQuery{Terms: library.ParseTerms("riv"), To: 1919}
		got, err := store.Facets(t.Context(), few)
		testkit.NoError(t, err)
		if want := storetest.FacetsByHand(books, few); !reflect.DeepEqual(got, want) {
			t.Errorf("few books:\ngot  %+v\nwant %+v", got, want)
		}
		store.Limits.Counted = 40
		got, err = store.Facets(t.Context(), library.BookQuery{Terms: library.ParseTerms("riv")})
		if testkit.NoError(t, err); got.Total != 40 || got.Exact || got.Unavailable != unavailable*2/3 || got.Available != 40-got.Unavailable {
			t.Errorf("with 40 counted: %+v", got)
		}
	})
}

// TestFacetsOfTheWholeCatalogueAreThoseOfAllBooks has more books than are looked at for a search.
func TestFacetsOfTheWholeCatalogueAreThoseOfAllBooks(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		store.Limits.Faceted = 20
		books := manyRivers(60)
		addInTurn(t, store, books)
		want := func(what string) {
			t.Helper()
			got, err := store.Facets(t.Context(), library.BookQuery{})
			testkit.NoError(t, err)
			if want := storetest.FacetsByHand(books, library.BookQuery{}); !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
			}
		}
		want("at first")
		takeAway(t, store, &books[7])
		want("after a loan")
		books[9].Language, books[9].Published, books[9].Subjects = "fr", 1066, []string{"Wells"}
		testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.UpdateBook(t.Context(), books[9]) }))
		want("after an edit")
	})
}

// TestASubjectOfWhichNothingIsLeftWhenFoldedIsCounted has one of an accent alone. Its key is empty, as is that of
// what is no subject.
func TestASubjectOfWhichNothingIsLeftWhenFoldedIsCounted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		var books []library.Book
		for i := range 20 {
			f := library.BookFields{Title: fmt.Sprintf("Rivers %d", i)}
			if i%2 == 0 {
				f.Subjects = []string{"\u0301"}
			}
			books = append(books, fixture.NewBook(f))
		}
		addInTurn(t, store, books)
		q := library.BookQuery{Terms: library.ParseTerms("riv")}
		got, err := store.Facets(t.Context(), q)
		testkit.NoError(t, err)
		if want := storetest.FacetsByHand(books, q); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
