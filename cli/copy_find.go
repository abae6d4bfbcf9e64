package cli

import (
	"context"
	"iter"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
)

// copyFinder finds copies: by barcode, by identifier, or by the name of a book.
// If a book is given, it finds one of that.
func (a *app) copyFinder(ctx context.Context, c *client.Client, among *api.Book) *finder[shelved] {
	return &finder[shelved]{
		noun:      "copy",
		precision: called,
		hint:      "'library copies list BOOK' shows those of a book.",
		sure:      "the barcode or the identifier",
		id:        func(s shelved) string { return s.Identifier },
		names:     func(s shelved) []string { return []string{s.book.Title, s.Barcode} },
		get:       func(ctx context.Context, id string) (shelved, error) { return copyOrBook(ctx, c, id) },
		number:    func(ctx context.Context, name string) ([]shelved, error) { return copiesByCode(ctx, c, name) },
		search: func(ctx context.Context, words string) iter.Seq2[shelved, error] {
			if among != nil {
				return each[shelved](nil)
			}
			return copiesOfBooks(ctx, c, words)
		},
		near: func(ctx context.Context, _ string) iter.Seq2[shelved, error] {
			if among == nil {
				return each[shelved](nil)
			}
			return copiesOf(ctx, c, *among)
		},
		offer: func(choices []shelved) error {
			copies := make([]api.Copy, len(choices))
			for i, s := range choices {
				copies[i] = s.Copy
			}
			return tableCopies(ctx, a.screen(), newCalendar(c), copies)
		},

		numberOnly: func(string) bool { return false },
	}
}

// copyOrBook finds a copy by its identifier, or by that of a book that has no
// other.
func copyOrBook(ctx context.Context, c *client.Client, id string) (shelved, error) {
	found, _, err := c.Copy(ctx, id)
	if !hasCode(err, library.ErrCopyNotFound.Code) {
		return shelved{Copy: found}, err
	}
	page, failed := c.Copies(ctx, id)
	if failed != nil || len(page.Items) != 1 {
		return shelved{}, err
	}
	return shelved{Copy: page.Items[0]}, nil
}

// copiesByCode finds the copy with a barcode, or the copies of the books with an
// ISBN.
func copiesByCode(ctx context.Context, c *client.Client, name string) ([]shelved, error) {
	isbn, isISBN := asISBN(name)
	switch {
	case library.IsCode(name):
	case isISBN && library.IsCode(isbn):
		name = isbn
	default:
		return nil, nil
	}
	code, err := c.Code(ctx, name)
	switch {
	case hasCode(err, library.ErrUnknownCode.Code):
		return nil, nil
	case err != nil:
		return nil, err
	case code.Copy != nil && code.Book != nil:
		return []shelved{{*code.Copy, *code.Book}}, nil
	}
	var all []shelved
	for _, b := range code.Books {
		found, err := collect(copiesOf(ctx, c, b))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// copiesOfBooks reads the copies of the books that have these words.
func copiesOfBooks(ctx context.Context, c *client.Client, words string) iter.Seq2[shelved, error] {
	return func(yield func(shelved, error) bool) {
		books, err := c.Books(ctx, client.BookQuery{Words: words, Limit: maxChoices})
		if err != nil {
			yield(shelved{}, err)
			return
		}
		for _, b := range books.Items {
			for s, err := range copiesOf(ctx, c, b) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// copiesOf reads the copies of a book.
func copiesOf(ctx context.Context, c *client.Client, b api.Book) iter.Seq2[shelved, error] {
	return func(yield func(shelved, error) bool) {
		page, err := c.Copies(ctx, b.Identifier)
		if err != nil {
			yield(shelved{}, err)
			return
		}
		for _, found := range page.Items {
			if !yield(shelved{found, b}, nil) {
				return
			}
		}
	}
}
