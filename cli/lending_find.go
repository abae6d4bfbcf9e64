package cli

import (
	"context"
	"iter"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
)

// fewRecords is how many loans or holds are read to look for one among them. Who
// has more to look through is staff, and is helped by looking for the book first.
const fewRecords = 200

// bookRecords are the loans or the holds in which one is looked for: records of
// which each is about a book.
type bookRecords[T any] struct {
	c       *client.Client
	noun    string
	missing string // code of a refusal: there is no such record
	id      func(T) string
	title   func(T) string
	get     func(ctx context.Context, id string) (T, error)
	first   func(ctx context.Context, bookID string, limit int) (client.Page[T], error) // "" is of any book
	all     func(ctx context.Context, bookID string) iter.Seq2[T, error]
	offer   func(choices []T) error
}

// loanFinder finds open loans of somebody, or of anybody if userID is "".
func (a *app) loanFinder(ctx context.Context, c *client.Client, userID string) *finder[api.Loan] {
	return bookRecords[api.Loan]{
		c: c, noun: "loan", missing: library.ErrLoanNotFound.Code, get: c.Loan,
		id:    func(l api.Loan) string { return l.Identifier },
		title: func(l api.Loan) string { return l.Book.Title },
		first: func(ctx context.Context, bookID string, limit int) (client.Page[api.Loan], error) {
			return c.Loans(ctx, client.LoanQuery{User: userID, Book: bookID, Limit: limit})
		},
		all: func(ctx context.Context, bookID string) iter.Seq2[api.Loan, error] {
			return c.AllLoans(ctx, client.LoanQuery{User: userID, Book: bookID})
		},
		offer: func(choices []api.Loan) error { return showLoans(ctx, a.screen(), c, each(choices)) },
	}.finder()
}

// holdFinder finds active holds of somebody, or of anybody if userID is "".
func (a *app) holdFinder(ctx context.Context, c *client.Client, userID string) *finder[api.Hold] {
	return bookRecords[api.Hold]{
		c: c, noun: "hold", missing: library.ErrHoldNotFound.Code, get: c.Hold,
		id:    func(h api.Hold) string { return h.Identifier },
		title: func(h api.Hold) string { return h.Book.Title },
		first: func(ctx context.Context, bookID string, limit int) (client.Page[api.Hold], error) {
			return c.Holds(ctx, client.HoldQuery{User: userID, Book: bookID, Limit: limit})
		},
		all: func(ctx context.Context, bookID string) iter.Seq2[api.Hold, error] {
			return c.AllHolds(ctx, client.HoldQuery{User: userID, Book: bookID})
		},
		offer: func(choices []api.Hold) error { return showHolds(ctx, a.screen(), c, each(choices)) },
	}.finder()
}

func (r bookRecords[T]) finder() *finder[T] {
	return &finder[T]{
		noun: r.noun, hint: "'library " + r.noun + "s list' shows those that there are.", sure: "the identifier",
		precision: called,

		id: r.id, names: func(item T) []string { return []string{r.title(item)} },
		get: r.byIdentifier, number: r.byISBN, search: r.byTitle, offer: r.offer,
		near:       func(ctx context.Context, _ string) iter.Seq2[T, error] { return r.all(ctx, "") },
		numberOnly: func(string) bool { return false },
	}
}

// byIdentifier finds a record by its identifier, or by that of a book that has
// only one.
func (r bookRecords[T]) byIdentifier(ctx context.Context, id string) (T, error) {
	found, err := r.get(ctx, id)
	if !hasCode(err, r.missing) {
		return found, err
	}
	page, failed := r.first(ctx, id, 2)
	if failed != nil || len(page.Items) != 1 {
		return found, err
	}
	return page.Items[0], nil
}

func (r bookRecords[T]) byISBN(ctx context.Context, name string) ([]T, error) {
	isbn, is := asISBN(name)
	if !is {
		return nil, nil
	}
	page, err := r.c.Books(ctx, client.BookQuery{ISBN: isbn, Limit: maxChoices})
	if err != nil {
		return nil, err
	}
	return collect(r.ofBooks(ctx, page.Items))
}

// byTitle looks for records by the title of their book: among all of them if
// they are few, and among those of the books that fit if they are many.
func (r bookRecords[T]) byTitle(ctx context.Context, words string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		page, err := r.first(ctx, "", fewRecords)
		if err != nil {
			yield(none, err)
			return
		}
		if page.Next == "" {
			terms := library.ParseTerms(words)
			for _, item := range page.Items {
				if fits(terms, library.IndexWords(r.title(item))) && !yield(item, nil) {
					return
				}
			}
			return
		}
		books, err := r.c.Books(ctx, client.BookQuery{Words: words, Limit: maxChoices})
		if err != nil {
			yield(none, err)
			return
		}
		r.ofBooks(ctx, books.Items)(yield)
	}
}

// ofBooks reads the records of a few books.
func (r bookRecords[T]) ofBooks(ctx context.Context, books []api.Book) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, b := range books {
			for item, err := range r.all(ctx, b.Identifier) {
				if !yield(item, err) || err != nil {
					return
				}
			}
		}
	}
}
