package records

import (
	"context"
	"iter"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// BookCopy is a copy and the book that it is one of.
type BookCopy struct {
	api.Copy
	Book api.Book
}

// Name is what a person calls the copy, as far as that is known.
func (s BookCopy) Name() string {
	name := "the copy"
	switch {
	case s.Barcode != "":
		name += " " + terminal.Clean(s.Barcode)
	case s.Book.Title == "":
		name += " " + terminal.Clean(s.Identifier)
	}
	if s.Book.Title != "" {
		name += " of " + command.Quote(s.Book.Title)
	}
	return name
}

// CopiesOf reads the copies of a book.
func CopiesOf(ctx context.Context, c *client.Client, b api.Book) iter.Seq2[BookCopy, error] {
	return func(yield func(BookCopy, error) bool) {
		page, err := c.Copies(ctx, b.Identifier)
		if err != nil {
			yield(BookCopy{}, err)
			return
		}
		for _, found := range page.Items {
			if !yield(BookCopy{found, b}, nil) {
				return
			}
		}
	}
}
