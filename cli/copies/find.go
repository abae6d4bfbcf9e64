package copies

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

// copyFinder finds copies: by barcode, by identifier, or by the name of a book.
// If a book is given, it finds one of that.
func copyFinder(ctx context.Context, a *command.App, c *client.Client, among *api.Book) *records.Finder[records.BookCopy] {
	return &records.Finder[records.BookCopy]{
		Noun:      "copy",
		Precision: records.Called,
		Hint:      "'library copies list BOOK' shows those of a book.",
		Sure:      "the barcode or the identifier",
		ID:        func(s records.BookCopy) string { return s.Identifier },
		Names:     func(s records.BookCopy) []string { return []string{s.Book.Title, s.Barcode} },
		Get:       func(ctx context.Context, id string) (records.BookCopy, error) { return copyOrBook(ctx, c, id) },
		Number:    func(ctx context.Context, name string) ([]records.BookCopy, error) { return copiesByCode(ctx, c, name) },
		Search: func(ctx context.Context, words string) iter.Seq2[records.BookCopy, error] {
			if among != nil {
				return command.Sequence[records.BookCopy](nil)
			}
			return copiesOfBooks(ctx, c, words)
		},
		Near: func(ctx context.Context, _ string) iter.Seq2[records.BookCopy, error] {
			if among == nil {
				return command.Sequence[records.BookCopy](nil)
			}
			return records.CopiesOf(ctx, c, *among)
		},
		Offer: func(choices []records.BookCopy) error {
			copies := make([]api.Copy, len(choices))
			for i, s := range choices {
				copies[i] = s.Copy
			}
			return tableCopies(ctx, a.Screen(), records.NewCalendar(c), copies)
		},

		NumberOnly: func(string) bool { return false },
	}
}

// copyOrBook finds a copy by its identifier, or by that of a book that has no
// other.
func copyOrBook(ctx context.Context, c *client.Client, id string) (records.BookCopy, error) {
	found, _, err := c.Copy(ctx, id)
	if !command.HasCode(err, library.ErrCopyNotFound.Code) {
		return records.BookCopy{Copy: found}, err
	}
	page, failed := c.Copies(ctx, id)
	if failed != nil || len(page.Items) != 1 {
		return records.BookCopy{}, err
	}
	return records.BookCopy{Copy: page.Items[0]}, nil
}

// copiesByCode finds the copy with a barcode, or the copies of the books with an
// ISBN.
func copiesByCode(ctx context.Context, c *client.Client, name string) ([]records.BookCopy, error) {
	isbn, isISBN := records.AsISBN(name)
	switch {
	case library.IsCode(name):
	case isISBN && library.IsCode(isbn):
		name = isbn
	default:
		return nil, nil
	}
	code, err := c.Code(ctx, name)
	switch {
	case command.HasCode(err, library.ErrUnknownCode.Code):
		return nil, nil
	case err != nil:
		return nil, err
	case code.Copy != nil && code.Book != nil:
		return []records.BookCopy{{Copy: *code.Copy, Book: *code.Book}}, nil
	}
	return command.Collect(copiesOf(ctx, c, code.Books))
}

// copiesOfBooks reads the copies of the books that have these words.
func copiesOfBooks(ctx context.Context, c *client.Client, words string) iter.Seq2[records.BookCopy, error] {
	return func(yield func(records.BookCopy, error) bool) {
		books, err := c.Books(ctx, client.BookQuery{Words: words, Limit: records.MaxChoices})
		if err != nil {
			yield(records.BookCopy{}, err)
			return
		}
		copiesOf(ctx, c, books.Items)(yield)
	}
}

// copiesOf reads the copies of some books.
func copiesOf(ctx context.Context, c *client.Client, books []api.Book) iter.Seq2[records.BookCopy, error] {
	return func(yield func(records.BookCopy, error) bool) {
		for _, b := range books {
			for s, err := range records.CopiesOf(ctx, c, b) {
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

// copyBookFlag says of which book a copy is one.
func copyBookFlag(a *command.App, cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "book", "b", "", "the book that it is a copy of; COPY can be the beginning of an identifier then")
	_ = cmd.RegisterFlagCompletionFunc("book", records.CompleteBooks(a, command.AnyNumber, records.AnyBook)) // fails only without the flag
}

// findCopy finds a copy and its version. Where nobody is asked, the name has to
// be exact.
func findCopy(ctx context.Context, a *command.App, c *client.Client, name, book string, unasked bool) (records.BookCopy, client.Version, error) {
	var among *api.Book
	if book != "" {
		b, err := records.BookFinder(a, c).Only(records.Called).Find(ctx, book)
		if err != nil {
			return records.BookCopy{}, "", err
		}
		among = &b
	}
	finder := copyFinder(ctx, a, c, among)
	found, err := finder.FindUnasked(ctx, name, unasked)
	if err != nil {
		return found, "", err
	}
	now, version, err := c.Copy(ctx, found.Identifier)
	if err != nil {
		return found, "", explainCopy(found, "", err)
	}
	found.Copy = now
	return found, version, nil
}
