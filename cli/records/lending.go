package records

import (
	"context"
	"iter"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/fulltext"
)

// fewRecords is how many loans or holds are read to look for one among them. Who
// has more to look through is staff, and is helped by looking for the book first.
const fewRecords = 200

// BookRecords are the loans or the holds in which one is looked for: records of
// which each is about a book.
type BookRecords[T any] struct {
	Client  *client.Client
	Noun    string
	Missing string // code of a refusal: there is no such record
	ID      func(T) string
	Title   func(T) string
	Get     func(ctx context.Context, id string) (T, error)
	First   func(ctx context.Context, bookID string, limit int) (client.Page[T], error) // "" is of any book
	All     func(ctx context.Context, bookID string) iter.Seq2[T, error]
	Offer   func(choices []T) error
}

// Finder finds one of the records by its identifier or by its book.
func (r BookRecords[T]) Finder() *Finder[T] {
	return &Finder[T]{
		Noun: r.Noun, Hint: "'library " + r.Noun + "s list' shows those that there are.", Sure: "the identifier",
		Precision: Called,

		ID: r.ID, Names: func(item T) []string { return []string{r.Title(item)} },
		Get: r.byIdentifier, Number: r.byISBN, Search: r.byTitle, Offer: r.Offer,
		Near:       func(ctx context.Context, _ string) iter.Seq2[T, error] { return r.All(ctx, "") },
		NumberOnly: func(string) bool { return false },
	}
}

// byIdentifier finds a record by its identifier, or by that of a book that has
// only one.
func (r BookRecords[T]) byIdentifier(ctx context.Context, id string) (T, error) {
	found, err := r.Get(ctx, id)
	if !command.HasCode(err, r.Missing) {
		return found, err
	}
	page, failed := r.First(ctx, id, 2)
	if failed != nil || len(page.Items) != 1 {
		return found, err
	}
	return page.Items[0], nil
}

func (r BookRecords[T]) byISBN(ctx context.Context, name string) ([]T, error) {
	isbn, is := AsISBN(name)
	if !is {
		return nil, nil
	}
	page, err := r.Client.Books(ctx, client.BookQuery{ISBN: isbn, Limit: MaxChoices})
	if err != nil {
		return nil, err
	}
	return command.Collect(r.ofBooks(ctx, page.Items))
}

// byTitle looks for records by the title of their book: among all of them if
// they are few, and among those of the books that fit if they are many.
func (r BookRecords[T]) byTitle(ctx context.Context, words string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		page, err := r.First(ctx, "", fewRecords)
		if err != nil {
			yield(none, err)
			return
		}
		if page.Next == "" {
			terms := library.ParseTerms(words)
			for _, item := range page.Items {
				if Fits(terms, fulltext.Index(r.Title(item))) && !yield(item, nil) {
					return
				}
			}
			return
		}
		books, err := r.Client.Books(ctx, client.BookQuery{Words: words, Limit: MaxChoices})
		if err != nil {
			yield(none, err)
			return
		}
		r.ofBooks(ctx, books.Items)(yield)
	}
}

// ofBooks reads the records of a few books.
func (r BookRecords[T]) ofBooks(ctx context.Context, books []api.Book) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, b := range books {
			for item, err := range r.All(ctx, b.Identifier) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}
