package records

import (
	"context"
	"fmt"
	"strings"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/terminal"
)

// Where a book is, in a word.
const (
	statusFree     = "Available"
	StatusOnLoan   = "On loan"
	statusYours    = "Yours"
	statusReady    = "Ready for you" // a copy is set aside for the viewer
	statusReserved = "Reserved"      // what is not lent is set aside for others
	statusStays    = "Not for loan"  // no copy can be lent
)

// StatusStyles are the colours of where a book is.
var StatusStyles = map[string]terminal.Style{
	statusFree: terminal.Green, StatusOnLoan: terminal.Yellow, statusYours: terminal.Cyan,
	statusReady: terminal.Green, statusReserved: terminal.Yellow, statusStays: terminal.Dim,
}

// StatusOf is where a book is, seen by the person who asks.
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

// DueOf is when the viewer's copy is due, or the next one that comes back; "" if
// there is no such date.
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

	roomForLending = 20 // that an ISBN leaves to when a book is due
)

// BookTable is a table of books that has room for what the screen has room for,
// and at a terminal says more only where there is more to say.
type BookTable struct {
	*terminal.Table
	k                          *Calendar
	authors, isbn, copies, due bool
}

// NewBookTable makes a table for these books. In a pipe, where it has the same
// columns whatever is in it, they need not be known. Without a calendar it does
// not say when they are due.
func NewBookTable(t *terminal.Terminal, k *Calendar, books []api.Book) *BookTable {
	b := &BookTable{k: k, authors: true, isbn: true}
	if t.Interactive() {
		room := t.Width()
		for _, book := range books {
			b.copies = b.copies || book.Copies > 1
			b.due = b.due || k != nil && DueOf(book) != ""
		}
		b.copies, b.due = b.copies && room >= roomForDue, b.due && room >= roomForDue
		if b.copies || b.due {
			room -= roomForLending
		}
		b.authors, b.isbn = t.Width() >= roomForAuthors, room >= roomForISBN
	}
	columns := []terminal.Column{{Title: "id", Style: terminal.Dim}, {Title: "title", Give: 2, Style: terminal.Bold}}
	for _, c := range []struct {
		there  bool
		column terminal.Column
	}{
		{b.authors, terminal.Column{Title: "authors", Give: 5}},
		{b.isbn, terminal.Column{Title: "isbn", Give: 1}},
		{b.copies, terminal.Column{Title: "copies"}},
		{b.due, terminal.Column{Title: "due"}},
	} {
		if c.there {
			columns = append(columns, c.column)
		}
	}
	b.Table = t.NewTable(append(columns, terminal.Column{Title: "status"})...)
	return b
}

// Add adds a book under an identifier, which may be shortened.
func (t *BookTable) Add(ctx context.Context, id string, b api.Book) error {
	cells := []terminal.Cell{{Text: id}, {Text: b.Title}}
	if t.authors {
		cells = append(cells, terminal.Cell{Text: JoinAuthors(b)})
	}
	if t.isbn {
		cells = append(cells, terminal.Cell{Text: b.ISBN})
	}
	if t.copies {
		copies := terminal.Cell{}
		if b.Copies > 1 {
			copies.Text = fmt.Sprintf("%d of %d", b.Available, b.Copies)
		}
		cells = append(cells, copies)
	}
	if t.due {
		due := terminal.Cell{}
		if at := DueOf(b); at != "" {
			due.Text = t.k.Due(ctx, at)
		}
		if b.Loan != nil && b.Loan.Overdue {
			due.Style = terminal.Red
		}
		cells = append(cells, due)
	}
	status := StatusOf(b)
	return t.Cells(append(cells, terminal.Cell{Text: status, Style: StatusStyles[status]})...)
}

// PrintBooks shows some books; without a calendar, not when they are due.
func PrintBooks(ctx context.Context, t *terminal.Terminal, k *Calendar, books []api.Book) error {
	table := NewBookTable(t, k, books)
	for i, id := range command.IDs(t, books, func(b api.Book) string { return b.Identifier }) {
		table.Add(ctx, id, books[i])
	}
	return table.Flush()
}

// JoinAuthors is the authors of a book in one text.
func JoinAuthors(b api.Book) string { return strings.Join(b.Authors, "; ") }
