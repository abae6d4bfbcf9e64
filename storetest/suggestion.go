package storetest

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/library"
	"example.org/library/internal/fulltext"
	"example.org/library/internal/testkit"
	"example.org/library/search"
	"example.org/library/storetest/fixture"
)

// SuggestionsByHand computes the suggestions by looking at every value of every book.
func SuggestionsByHand(books []library.Book, typed string) []search.Suggestion {
	if len(fulltext.Words(typed)) == 0 {
		return []search.Suggestion{} // nothing is asked for
	}
	type value struct {
		kind, key string
		books     map[string][]string // the identifiers of the books, by spelling
	}
	var values []*value
	known := map[[2]string]*value{}
	note := func(kind, text, book string) {
		if text == "" || !answers(func() []string { return fulltext.Index(text) }, []library.Term{{Words: fulltext.Words(typed)}}) {
			return
		}
		key := fulltext.Fold(text)
		v := known[[2]string{kind, key}]
		if v == nil {
			v = &value{kind: kind, key: key, books: map[string][]string{}}
			known[[2]string{kind, key}] = v
			values = append(values, v)
		}
		for _, ids := range v.books {
			if slices.Contains(ids, book) {
				return
			}
		}
		v.books[text] = append(v.books[text], book)
	}
	for _, b := range books {
		note("title", b.Title, b.ID)
		note("series", b.Series, b.ID)
		for _, author := range b.Authors {
			note("author", author, b.ID)
		}
		for _, subject := range b.Subjects {
			note("subject", subject, b.ID)
		}
	}
	all := func(v *value) (n int) {
		for _, ids := range v.books {
			n += len(ids)
		}
		return n
	}
	begins := func(v *value) int {
		if strings.HasPrefix(strings.Join(strings.Fields(v.key), " "), strings.Join(strings.Fields(fulltext.Fold(typed)), " ")) {
			return 0
		}
		return 1
	}
	kinds := []string{"title", "author", "series", "subject"}
	slices.SortFunc(values, func(a, b *value) int {
		return cmp.Or(begins(a)-begins(b), slices.Index(kinds, a.kind)-slices.Index(kinds, b.kind), all(b)-all(a), strings.Compare(a.key, b.key))
	})
	out := []search.Suggestion{}
	for _, v := range values[:min(len(values), 8)] {
		usual := ""
		for text, ids := range v.books {
			if n := len(v.books[usual]); len(ids) > n || len(ids) == n && text < usual {
				usual = text
			}
		}
		s := search.Suggestion{Kind: search.SuggestionKind(v.kind), Value: usual}
		if v.kind == "title" {
			s.BookID = slices.Min(v.books[usual])
		}
		out = append(out, s)
	}
	return out
}

// suggestionsOfRandomBooks compares a store with the model: books of few words, in all
// spellings, so that values are repeated, begin alike and differ in case alone.
func suggestionsOfRandomBooks(t *testing.T, f fixture.Store) {
	r := rand.New(rand.NewPCG(7, uint64(testkit.Enough(4))))
	books := randomBooks(r, 200)
	f.AddBooks(t, books...)
	for range testkit.Enough(200) {
		typed := someText(r, 2)
		if cut := []rune(typed); r.IntN(2) == 0 {
			typed = string(cut[:1+r.IntN(len(cut))])
		}
		if len([]rune(strings.TrimSpace(typed))) < search.MinSuggestible {
			continue
		}
		got, err := f.Search.Suggestions(f.Ctx, search.NewTyped(typed))
		testkit.NoError(t, err)
		if want := SuggestionsByHand(books, typed); !slices.Equal(got, want) {
			t.Fatalf("for %q:\ngot  %v\nwant %v", typed, got, want)
		}
	}
}

var fewWords = []string{"the", "The", "THE", "thé", "code", "Code", "clean", "Cléan", "History", "history", "his", "of", "a", "hobbit", "Hobbit's", "man-month", "man  month", "红楼梦", "Straße", "Böse", "bose", "Boese", "c++", "9780"}

// someText is up to most of few words.
func someText(r *rand.Rand, most int) string {
	words := make([]string, 1+r.IntN(most))
	for i := range words {
		words[i] = fewWords[r.IntN(len(fewWords))]
	}
	return strings.Join(words, " ")
}

// randomBooks returns books with values of few words.
func randomBooks(r *rand.Rand, n int) (books []library.Book) {
	maybe := func() string {
		if r.IntN(3) > 0 {
			return ""
		}
		return someText(r, 2)
	}
	for range n {
		f := library.BookFields{Title: someText(r, 3), Description: maybe(), Series: maybe(), Publisher: maybe()}
		for range r.IntN(3) {
			f.Authors = append(f.Authors, someText(r, 2))
		}
		for range r.IntN(4) {
			subject := someText(r, 2)
			if !slices.ContainsFunc(f.Subjects, func(s string) bool { return fulltext.Fold(s) == fulltext.Fold(subject) }) {
				f.Subjects = append(f.Subjects, subject)
			}
		}
		if r.IntN(4) > 0 {
			f.Language = []string{"en", "de", "fr", "ang"}[r.IntN(4)]
		}
		if r.IntN(4) > 0 {
			f.Kind = library.BookKinds[r.IntN(4)]
		}
		if r.IntN(4) > 0 {
			f.Published = 1 + r.IntN(2100)
		}
		books = append(books, fixture.NewBook(f))
	}
	return books
}
