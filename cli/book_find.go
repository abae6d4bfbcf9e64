package cli

import (
	"context"
	"iter"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
)

// bookFinder finds books of the service.
func (a *app) bookFinder(c *client.Client) *finder[api.Book] {
	f := a.newBookFinder()
	f.get = func(ctx context.Context, id string) (api.Book, error) {
		book, _, err := c.Book(ctx, id)
		return book, err
	}
	f.number = func(ctx context.Context, name string) ([]api.Book, error) {
		isbn, is := asISBN(name)
		if !is {
			return nil, nil
		}
		page, err := c.Books(ctx, client.BookQuery{ISBN: isbn, Limit: maxChoices + 1})
		return page.Items, err
	}
	f.search = func(ctx context.Context, words string) iter.Seq2[api.Book, error] {
		return c.AllBooks(ctx, client.BookQuery{Words: words})
	}
	f.near = func(ctx context.Context, start string) iter.Seq2[api.Book, error] {
		return c.AllBooks(ctx, client.BookQuery{IDStart: start})
	}
	return f
}

// bookFinderAmong finds one of a few books by the same rules.
func (a *app) bookFinderAmong(books []api.Book) *finder[api.Book] {
	f := a.newBookFinder()
	only := func(wanted func(api.Book) bool) []api.Book {
		return slices.Collect(func(yield func(api.Book) bool) {
			for _, b := range books {
				if wanted(b) && !yield(b) {
					return
				}
			}
		})
	}
	f.get = func(_ context.Context, id string) (api.Book, error) {
		found := only(func(b api.Book) bool { return b.Identifier == id })
		if len(found) == 0 {
			return api.Book{}, errNoRecord
		}
		return found[0], nil
	}
	f.number = func(_ context.Context, name string) ([]api.Book, error) {
		isbn, is := asISBN(name)
		return only(func(b api.Book) bool { return is && hasISBN(b, isbn) }), nil
	}
	f.search = func(_ context.Context, words string) iter.Seq2[api.Book, error] {
		terms := library.ParseTerms(words)
		return each(only(func(b api.Book) bool { return fits(terms, searchWords(b)) }))
	}
	f.near = func(context.Context, string) iter.Seq2[api.Book, error] { return each(books) }
	return f
}

func (a *app) newBookFinder() *finder[api.Book] {
	return &finder[api.Book]{
		noun:  "book",
		hint:  "'library books list --search WORDS' looks for words.",
		sure:  "the whole title, the ISBN or the identifier",
		id:    func(b api.Book) string { return b.Identifier },
		names: func(b api.Book) []string { return []string{b.Title} },
		offer: func(choices []api.Book) error { return a.offerBooks(choices) },

		numberOnly: func(string) bool { return false }, // titles have numbers in them
	}
}

// leastISBN is how many digits a number has that may be an ISBN.
const leastISBN = 8

// asISBN returns what may be an ISBN, without the words that people put before
// one.
func asISBN(name string) (string, bool) {
	number := strings.ToLower(strings.TrimSpace(name))
	number = strings.TrimPrefix(number, "urn:")
	number = strings.TrimPrefix(number, "isbn")
	number = strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(number, "-13"), "-10"), ": ")
	key := library.ISBNKey(number)
	return number, len(key) >= leastISBN && strings.Trim(strings.TrimSuffix(key, "X"), "0123456789") == ""
}

func hasISBN(b api.Book, isbn string) bool {
	return b.ISBN != "" && library.ISBNKey(b.ISBN) == library.ISBNKey(isbn)
}

// searchWords is what a search for the book can hit.
func searchWords(b api.Book) []string {
	return library.Book{BookFields: library.BookFields{
		Title: b.Title, ISBN: b.ISBN, Description: b.Description, Authors: b.Authors,
	}}.SearchWords()
}
