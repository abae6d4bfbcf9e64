package records

import (
	"context"
	"iter"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/isbn"
)

// BookFinder finds books of the service.
func BookFinder(a *command.App, c *client.Client) *Finder[api.Book] {
	f := newBookFinder(a)
	f.Get = func(ctx context.Context, id string) (api.Book, error) {
		book, _, err := c.Book(ctx, id)
		return book, err
	}
	f.Number = func(ctx context.Context, name string) ([]api.Book, error) {
		isbn, is := AsISBN(name)
		if !is {
			return nil, nil
		}
		page, err := c.Books(ctx, client.BookQuery{ISBN: isbn, Limit: MaxChoices + 1})
		return page.Items, err
	}
	f.Search = func(ctx context.Context, words string) iter.Seq2[api.Book, error] {
		return c.AllBooks(ctx, client.BookQuery{Words: words})
	}
	f.Near = func(ctx context.Context, start string) iter.Seq2[api.Book, error] {
		return c.AllBooks(ctx, client.BookQuery{IDStart: start})
	}
	return f
}

// BookFinderAmong finds one of a few books by the same rules.
func BookFinderAmong(a *command.App, books []api.Book) *Finder[api.Book] {
	f := newBookFinder(a)
	only := func(wanted func(api.Book) bool) []api.Book {
		return slices.DeleteFunc(slices.Clone(books), func(b api.Book) bool { return !wanted(b) })
	}
	f.Get = func(_ context.Context, id string) (api.Book, error) {
		found := only(func(b api.Book) bool { return b.Identifier == id })
		if len(found) == 0 {
			return api.Book{}, errNoRecord
		}
		return found[0], nil
	}
	f.Number = func(_ context.Context, name string) ([]api.Book, error) {
		isbn, is := AsISBN(name)
		return only(func(b api.Book) bool { return is && HasISBN(b, isbn) }), nil
	}
	f.Search = func(_ context.Context, words string) iter.Seq2[api.Book, error] {
		terms := library.ParseTerms(words)
		return command.Sequence(only(func(b api.Book) bool { return Fits(terms, SearchWords(b)) }))
	}
	f.Near = func(context.Context, string) iter.Seq2[api.Book, error] { return command.Sequence(books) }
	return f
}

func newBookFinder(a *command.App) *Finder[api.Book] {
	return &Finder[api.Book]{
		Noun:  "book",
		Hint:  "'library books list --search WORDS' looks for words.",
		Sure:  "the whole title, the ISBN or the identifier",
		ID:    func(b api.Book) string { return b.Identifier },
		Names: func(b api.Book) []string { return []string{b.Title} },
		Offer: func(choices []api.Book) error {
			return PrintBooks(context.Background(), a.Screen(), nil, choices) // beside the results
		},

		NumberOnly: func(string) bool { return false }, // titles have numbers in them
	}
}

// leastISBN is how many digits a number has that may be an ISBN.
const leastISBN = 8

// AsISBN returns what may be an ISBN, without the words that people put before
// one.
func AsISBN(name string) (string, bool) {
	number := strings.ToLower(strings.TrimSpace(name))
	number = strings.TrimPrefix(number, "urn:")
	number = strings.TrimPrefix(number, "isbn")
	number = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(number, "-13"), "-10"), ": ")
	key := isbn.Key(number)
	return number, len(key) >= leastISBN && strings.Trim(strings.TrimSuffix(key, "X"), "0123456789") == ""
}

// HasISBN reports whether a book has an ISBN, in any spelling.
func HasISBN(b api.Book, number string) bool {
	return b.ISBN != "" && isbn.Key(b.ISBN) == isbn.Key(number)
}

// SearchWords is what a search for the book can hit.
func SearchWords(b api.Book) []string {
	return library.Book{BookFields: library.BookFields(b.BookFields)}.SearchWords()
}
