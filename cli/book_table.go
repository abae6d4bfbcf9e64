package cli

import (
	"context"
	"fmt"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Where a book is, in a word.
const (
	statusFree     = "Available"
	statusOnLoan   = "On loan"
	statusYours    = "Yours"
	statusReady    = "Ready for you" // a copy is set aside for the viewer
	statusReserved = "Reserved"      // what is not lent is set aside for others
	statusStays    = "Not for loan"  // no copy can be lent
)

var statusStyles = map[string]terminal.Style{
	statusFree: terminal.Green, statusOnLoan: terminal.Yellow, statusYours: terminal.Cyan,
	statusReady: terminal.Green, statusReserved: terminal.Yellow, statusStays: terminal.Dim,
}

// statusOf is where a book is, seen by whoever has asked for it.
func statusOf(b api.Book) string {
	switch {
	case b.Loan != nil:
		return statusYours
	case b.Hold != nil && b.Hold.State == api.HoldReady:
		return statusReady
	case b.Available > 0:
		return statusFree
	case b.Borrowed:
		return statusOnLoan
	case b.Copies == 0:
		return statusStays
	}
	return statusReserved
}

// dueOf is when the viewer's copy is due, or the next one that comes back; "" if
// there is no such date.
func dueOf(b api.Book) string {
	if b.Loan != nil {
		return b.Loan.DueAt
	}
	return b.DueAt
}

// viewer is who looks at loans. Who it is, is asked when it matters.
type viewer struct {
	c    *client.Client
	id   string
	once bool
}

func newViewer(c *client.Client) *viewer { return &viewer{c: c} }

func (v *viewer) identifier(ctx context.Context) string {
	if !v.once {
		v.once = true
		if me, err := v.c.Me(ctx); err == nil {
			v.id = me.Identifier
		}
	}
	return v.id
}

// Widths below which a table of books leaves columns out.
const (
	roomForISBN    = 64
	roomForAuthors = 48
	roomForDue     = 56

	roomForLending = 20 // that an ISBN leaves to when a book is due
)

// bookTable is a table of books that has room for what the screen has room for,
// and at a terminal says more only where there is more to say.
type bookTable struct {
	*terminal.Table
	k                          *calendar
	authors, isbn, copies, due bool
}

// newBookTable makes a table for these books. In a pipe, where it has the same
// columns whatever is in it, they need not be known. Without a calendar it does
// not say when they are due.
func newBookTable(t *terminal.Terminal, k *calendar, books []api.Book) *bookTable {
	b := &bookTable{k: k, authors: true, isbn: true}
	if t.Interactive() {
		room := t.Width()
		for _, book := range books {
			b.copies = b.copies || book.Copies > 1
			b.due = b.due || k != nil && dueOf(book) != ""
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

func (t *bookTable) add(ctx context.Context, id string, b api.Book) error {
	cells := []terminal.Cell{{Text: id}, {Text: b.Title}}
	if t.authors {
		cells = append(cells, terminal.Cell{Text: joinAuthors(b)})
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
		if at := dueOf(b); at != "" {
			due.Text = t.k.due(ctx, at)
		}
		if b.Loan != nil && b.Loan.Overdue {
			due.Style = terminal.Red
		}
		cells = append(cells, due)
	}
	status := statusOf(b)
	return t.Cells(append(cells, terminal.Cell{Text: status, Style: statusStyles[status]})...)
}

// offerBooks shows the books that a name could mean, beside the results.
func (a *app) offerBooks(choices []api.Book) error {
	return tableBooks(context.Background(), a.screen(), nil, choices)
}

// tableBooks shows some books; without a calendar, not when they are due.
func tableBooks(ctx context.Context, t *terminal.Terminal, k *calendar, books []api.Book) error {
	table := newBookTable(t, k, books)
	ids := make([]string, len(books))
	for i, b := range books {
		ids[i] = b.Identifier
	}
	if t.Interactive() {
		ids = shortIDs(ids)
	}
	for i, b := range books {
		if err := table.add(ctx, ids[i], b); err != nil {
			return err
		}
	}
	return table.Flush()
}
