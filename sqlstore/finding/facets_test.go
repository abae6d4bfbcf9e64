package finding_test

import (
	"fmt"
	"reflect"
	"testing"

	"example.org/library"
	domain "example.org/library/finding"
	"example.org/library/internal/testkit"
	"example.org/library/sqlstore"
	"example.org/library/sqlstore/finding"
	"example.org/library/storetest"
	"example.org/library/storetest/fixture"
)

// manyRivers are books that all have one word, and subjects, languages and years of all kinds.
func manyRivers(n int) (books []library.Book) {
	for i := range n {
		f := library.BookFields{Title: fmt.Sprintf("Rivers %d", i), Published: 1900 + i, Language: []string{"en", "de", ""}[i%3]}
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

// TestFacetsOfVeryManyBooksAreThoseOfSome looks at no more than 20 of 60 books, unless all were counted when
// the titles were divided. The total is that of all.
func TestFacetsOfVeryManyBooksAreThoseOfSome(t *testing.T) {
	t.Parallel()
	const most = 20
	for name, address := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			store, books := open(t, address(t)), manyRivers(60)
			addInTurn(t, store, books)
			q := library.BookQuery{Terms: library.ParseTerms("riv")}
			got, isKnown := finding.FacetsOf(t, store.Catalogue, q, most)
			if isKnown || got.Total != 60 || got.Exact || got.Available != most || got.Unavailable != 0 {
				t.Errorf("facets of some books are %+v (known: %v)", got, isKnown)
			}
			finding.Divide(t, store.Catalogue, 30)
			// A loan counts at once.
			for _, i := range []int{3, 7, 40} {
				books[i].Stock.Available = 0
				finding.Exec(t, store.Catalogue, `UPDATE stock SET available = 0 WHERE seq = (SELECT seq FROM books WHERE id = $1)`, books[i].ID)
			}
			want := storetest.FacetsByHand(books, q)
			if got, isKnown := finding.FacetsOf(t, store.Catalogue, q, most); !isKnown || !reflect.DeepEqual(got, want) {
				t.Errorf("facets of all books (known: %v):\ngot  %+v\nwant %+v", isKnown, got, want)
			}
			// What was edited since corrects them, unless a program has edited that does not say what a book is about.
			books[9].Language, books[9].Published, books[9].Subjects = "fr", 1066, []string{"Wells"}
			testkit.NoError(t, store.Tx(t.Context(), func(tx library.Tx) error { return tx.UpdateBook(t.Context(), books[9]) }))
			want = storetest.FacetsByHand(books, q)
			if got, isKnown := finding.FacetsOf(t, store.Catalogue, q, most); !isKnown || !reflect.DeepEqual(got, want) {
				t.Errorf("facets after an edit (known: %v):\ngot  %+v\nwant %+v", isKnown, got, want)
			}
			finding.Exec(t, store.Catalogue, `UPDATE book_edits SET facets = ''`)
			if got, isKnown := finding.FacetsOf(t, store.Catalogue, q, 60); isKnown || !reflect.DeepEqual(got, storetest.FacetsByHand(books, q)) {
				t.Errorf("facets after an edit that is not described (known: %v): %+v", isKnown, got)
			}
			// With a filter they are not known, and looked at.
			rest := library.BookQuery{Terms: q.Terms, Language: "de"}
			if got, _ := finding.FacetsOf(t, store.Catalogue, rest, most); !reflect.DeepEqual(got, storetest.FacetsByHand(books, rest)) {
				t.Errorf("facets of all books: %+v", got)
			}
			isAvailable := true
			q.Available = &isAvailable
			if got, isKnown := finding.FacetsOf(t, store.Catalogue, q, most); isKnown || got.Total != 57 || got.Unavailable != 0 {
				t.Errorf("facets of what is available are %+v (known: %v)", got, isKnown)
			}
		})
	}
}

// TestASubjectOfWhichNothingIsLeftWhenFoldedIsCounted has one of an accent alone. Its key is empty, as is that of
// what is no subject.
func TestASubjectOfWhichNothingIsLeftWhenFoldedIsCounted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		var books []library.Book
		for i := range 60 {
			f := library.BookFields{Title: fmt.Sprintf("Rivers %d", i), Published: 1900 + i%3, Language: "en"}
			if i%2 == 0 {
				f.Subjects = []string{"\u0301"}
			}
			books = append(books, fixture.NewBook(f))
		}
		addInTurn(t, store, books)
		finding.Divide(t, store.Catalogue, 30)
		q := library.BookQuery{Terms: library.ParseTerms("riv")}
		got, isKnown := finding.FacetsOf(t, store.Catalogue, q, 1000)
		if want := storetest.FacetsByHand(books, q); !isKnown || !reflect.DeepEqual(got, want) {
			t.Errorf("facets (known: %v):\ngot  %+v\nwant %+v", isKnown, got, want)
		}
	})
}

// TestTitlesThatBeginAreSuggestedHoweverManyBooksHaveTheWord has one title that begins so behind
// more books with the word than are looked at.
func TestTitlesThatBeginAreSuggestedHoweverManyBooksHaveTheWord(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		var books []library.Book
		for i := range 40 {
			books = append(books, fixture.NewBook(library.BookFields{Title: fmt.Sprintf("The water of river %d", i)}))
		}
		last := fixture.NewBook(library.BookFields{Title: "Water"})
		addInTurn(t, store, append(books, last))
		finding.Divide(t, store.Catalogue, 10)
		got := finding.Suggest(t, store.Catalogue, "wat", 10)
		if len(got) != domain.MaxSuggestions || got[0] != (domain.Suggestion{Kind: domain.TitleSuggestion, Value: "Water", BookID: last.ID}) {
			t.Errorf("suggestions are %v", got)
		}
	})
}

// TestStrangersDoNotDisplaceTheCountsOfPeople lets strangers ask for more counts than are kept.
func TestStrangersDoNotDisplaceTheCountsOfPeople(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, store *sqlstore.Store) {
		finding.LimitCounts(store.Catalogue, 10)
		q := library.BookQuery{Terms: library.ParseTerms("river")}
		testkit.NoError(t, testkit.Err(store.CountBooks(t.Context(), q)))
		for i := range 20 {
			asked := library.BookQuery{Stranger: true, Terms: library.ParseTerms(fmt.Sprint("x", i))}
			testkit.NoError(t, testkit.Err(store.CountBooks(t.Context(), asked)))
		}
		if !finding.IsCounted(t, store.Catalogue, q) {
			t.Error("the count is gone")
		}
	})
}
