package storetest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/testkit"
	"example.org/library/storetest/fixture"
)

// Few different words, so that random books and questions have much in common: some begin
// others, some are articles, some are written without spaces.
var relevanceWords = strings.Fields("the The die La a an un history hist his Histoire of o love Love lovers été ete 红楼梦 红楼 iPhone手册 1984 19 man-month l'étranger ßtraße strasse")

// randomText has from least to most of the words.
func randomText(r *rand.Rand, least, most int) string {
	words := make([]string, least+r.IntN(most-least+1))
	for i := range words {
		words[i] = relevanceWords[r.IntN(len(relevanceWords))]
	}
	return strings.Join(words, []string{" ", ", ", " - "}[r.IntN(3)])
}

func randomBook(r *rand.Rand) library.Book {
	b := fixture.NewBook(library.BookFields{Title: randomText(r, 1, 3)})
	for _, field := range []*string{&b.Subtitle, &b.Series, &b.Publisher, &b.Description} {
		if r.IntN(3) == 0 {
			*field = randomText(r, 0, 3)
		}
	}
	for _, list := range []*[]string{&b.Authors, &b.Subjects} {
		for range r.IntN(3) {
			*list = append(*list, randomText(r, 1, 2))
		}
	}
	if r.IntN(4) == 0 {
		b.Language, b.Published = "en", 1984
	}
	if r.IntN(9) == 0 {
		b.Title = []string{"!!!", "The", "a.", "1984", "New York, New York"}[r.IntN(5)]
	}
	b.ISBN = []string{"", "", "9780198400000", "0-19-840000-5"}[r.IntN(4)]
	return b
}

func relevanceMatchesModel(t *testing.T, f fixture.Store) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	n, questions := 80, 40
	if testkit.Full() {
		n, questions = 400, 400
	}
	var books []library.Book
	for range n {
		books = append(books, randomBook(r))
	}
	f.AddBooks(t, books...)
	for i := range books { // some get other words
		if i%5 == 0 {
			books[i].BookFields = randomBook(r).BookFields
			f.InTx(t, func(tx library.Tx) error { return tx.UpdateBook(f.Ctx, books[i]) })
		}
	}
	for range questions {
		question := randomText(r, 1, 3)
		if r.IntN(3) == 0 {
			question = books[r.IntN(n)].Title
		}
		q := library.BookQuery{Order: library.ByRelevance}
		if q.Ask(question); r.IntN(4) == 0 {
			q.Language = "en"
		}
		q.Coarse = r.IntN(2) == 0
		want := find(books, q)
		total, err := f.CountBooks(f.Ctx, q)
		fixture.WantError(t, err, nil)
		got := allPages(t, f, q, total, 1+r.IntN(n))
		if !slices.Equal(got, fixture.IDs(want, fixture.BookID)) {
			t.Fatalf("%q (seed %d): got %d books, want %d, or in another order", question, seed, len(got), len(want))
		}
	}
}

// allPages are the identifiers of the books of a query, read page by page.
func allPages(t *testing.T, f fixture.Store, q library.BookQuery, total, size int) (ids []string) {
	t.Helper()
	q.Limit = size
	for {
		page, err := f.BooksInBatch(f.Ctx, q, library.BookBatch{Total: total})
		fixture.WantError(t, err, nil)
		ids = append(ids, fixture.IDs(page, fixture.BookID)...)
		if len(page) < size {
			return ids
		}
		q.After = cursorAt(page[size-1], q.Order)
		parsed, ok := library.ParseCursor(q.After.String(), q.Order)
		if !ok {
			t.Fatalf("the cursor %+v cannot be read", q.After)
		}
		q.After = parsed
	}
}

// phrasesOf returns the phrases of a question with the terms.
func phrasesOf(terms []library.Term) []string {
	var words []string
	for _, t := range terms {
		words = append(words, t.Words...)
	}
	return library.RankedQuestion(strings.Join(words, " "))
}
