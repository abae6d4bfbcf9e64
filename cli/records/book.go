package records

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/internal/isbn"
	"example.org/library/terminal"
)

// BookFinder returns a finder for books of the service.
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

// OnBook makes a command for the book named by its first argument.
func OnBook(a *command.App, cmd *cobra.Command, how Precision, run func(ctx context.Context, c *client.Client, b api.Book, args []string) error) *cobra.Command {
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := BookFinder(a, c).Only(how).Find(ctx, args[0])
		if err != nil {
			return err
		}
		return run(ctx, c, b, args)
	})
}

// BookFinderAmong returns a finder for one of a few books, by the same rules.
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
			return ListBooks(context.Background(), a.Screen(), nil, command.Sequence(choices)) // beside the results
		},
	}
}

// leastISBN is the least number of digits in a possible ISBN.
const leastISBN = 8

// AsISBN returns the name without a prefix such as "ISBN-13:", and reports whether
// the rest may be an ISBN.
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

// SearchWords returns the words a search for the book can hit.
func SearchWords(b api.Book) []string {
	return library.Book{BookFields: library.BookFields(b.BookFields)}.SearchWords()
}

// Where a book is, in a word.
const (
	statusFree     = "Available"
	StatusOnLoan   = "On loan"
	statusYours    = "Yours"
	statusReady    = "Ready for you" // a copy is set aside for the viewer
	statusReserved = "Reserved"      // the copies not on loan are set aside for others
	statusStays    = "Not for loan"  // no copy can be lent
)

// StatusStyles are the colours of where a book is.
var StatusStyles = map[string]terminal.Style{
	statusFree: terminal.Green, StatusOnLoan: terminal.Yellow, statusYours: terminal.Cyan,
	statusReady: terminal.Green, statusReserved: terminal.Yellow, statusStays: terminal.Dim,
}

// StatusOf returns where a book is, seen by the viewer.
func StatusOf(b api.Book) string {
	switch {
	case b.Loan != nil:
		return statusYours
	case b.Hold != nil && b.Hold.State == api.HoldReady:
		return statusReady
	case b.Available > 0:
		return statusFree
	case b.Borrowed:
		return StatusOnLoan
	case b.Copies == 0:
		return statusStays
	}
	return statusReserved
}

// DueOf returns the due date of the viewer's copy, or else of the next copy to
// come back; "" if there is no such date.
func DueOf(b api.Book) string {
	if b.Loan != nil {
		return b.Loan.DueAt
	}
	return b.DueAt
}

// Widths below which a table of books leaves columns out.
const (
	roomForISBN    = 64
	roomForAuthors = 48
	roomForDue     = 56

	roomForLending = 20 // taken from an ISBN for copies and due dates
)

// ListBooks shows books, with as many columns as the screen has room for.
func ListBooks(ctx context.Context, t *terminal.Terminal, k *Calendar, books iter.Seq2[api.Book, error]) error {
	if !t.Interactive() {
		return command.Lines(t, books, func(b api.Book) []string {
			return []string{b.Identifier, b.Title, JoinAuthors(b), b.ISBN, StatusOf(b)}
		})
	}
	all, err := command.Collect(books)
	if err != nil {
		return err
	}
	columns := slices.DeleteFunc(bookColumns(ctx, t.Width(), k, all), func(c bookColumn) bool { return !c.shown })
	titles := make([]terminal.Column, len(columns))
	for i, c := range columns {
		titles[i] = c.Column
	}
	table := t.NewTable(titles...)
	for i, id := range command.IDs(t, all, func(b api.Book) string { return b.Identifier }) {
		cells := []terminal.Cell{{Text: id}}
		for _, c := range columns[1:] {
			cells = append(cells, c.cell(all[i]))
		}
		table.Cells(cells...)
	}
	return table.Flush()
}

// bookColumn is a column of a table of books.
type bookColumn struct {
	shown bool
	terminal.Column
	cell func(api.Book) terminal.Cell
}

// bookColumns returns the columns for books. Copies and due dates are shown if some book needs them;
// without a calendar there are no due dates.
func bookColumns(ctx context.Context, room int, k *Calendar, books []api.Book) []bookColumn {
	copies := room >= roomForDue && slices.ContainsFunc(books, func(b api.Book) bool { return b.Copies > 1 })
	due := room >= roomForDue && k != nil && slices.ContainsFunc(books, func(b api.Book) bool { return DueOf(b) != "" })
	authors, isbn := room >= roomForAuthors, room >= roomForISBN
	if copies || due {
		isbn = room-roomForLending >= roomForISBN
	}
	return []bookColumn{
		{true, terminal.Column{Title: "id", Style: terminal.Dim}, nil},
		{true, terminal.Column{Title: "title", Give: 2, Style: terminal.Bold}, func(b api.Book) terminal.Cell { return terminal.Cell{Text: b.Title} }},
		{authors, terminal.Column{Title: "authors", Give: 5}, func(b api.Book) terminal.Cell { return terminal.Cell{Text: JoinAuthors(b)} }},
		{isbn, terminal.Column{Title: "isbn", Give: 1}, func(b api.Book) terminal.Cell { return terminal.Cell{Text: b.ISBN} }},
		{copies, terminal.Column{Title: "copies"}, func(b api.Book) (c terminal.Cell) {
			if b.Copies > 1 {
				c.Text = fmt.Sprintf("%d of %d", b.Available, b.Copies)
			}
			return c
		}},
		{due, terminal.Column{Title: "due"}, func(b api.Book) (c terminal.Cell) {
			if at := DueOf(b); at != "" {
				c.Text = k.Due(ctx, at)
			}
			if b.Loan != nil && b.Loan.Overdue {
				c.Style = terminal.Red
			}
			return c
		}},
		{true, terminal.Column{Title: "status"}, func(b api.Book) terminal.Cell {
			return terminal.Cell{Text: StatusOf(b), Style: StatusStyles[StatusOf(b)]}
		}},
	}
}

// JoinAuthors returns the authors of a book in one text.
func JoinAuthors(b api.Book) string { return strings.Join(b.Authors, "; ") }
