package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newBooks(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "books",
		Aliases: []string{"book"},
		Short:   "List, borrow and look after books",
		Long: `List, borrow and look after books.

A book is named by its identifier or the beginning of it (four characters or
more), by its ISBN in any spelling, or by its title: the whole title, or words of
it that no other book has. Case and accents do not matter.`,
		Example: `  library books list --search "programming language"
  library books borrow "Clean Code"
  library books return 978-0-13-235088-4
  library books show f9bf70d6`,
	},
		newBookList(a), newBookShow(a), newBookBorrow(a), newBookReturn(a),
		newBookAdd(a), newBookEdit(a), newBookDelete(a), newBookImport(a), newBookExport(a))
}

// Where a book is, in a word.
const (
	statusFree   = "Available"
	statusOnLoan = "On loan"
	statusYours  = "Yours"
)

var statusStyles = map[string]terminal.Style{
	statusFree: terminal.Green, statusOnLoan: terminal.Yellow, statusYours: terminal.Cyan,
}

// viewer is who looks at books. Who it is, is asked when it matters.
type viewer struct {
	c    *client.Client
	id   string
	once bool
}

// status is where a book is, seen by the viewer.
func (v *viewer) status(ctx context.Context, b api.Book) string {
	switch {
	case !b.Borrowed:
		return statusFree
	case b.BorrowedBy != nil && b.BorrowedBy.Identifier == v.identifier(ctx):
		return statusYours
	}
	return statusOnLoan
}

func (v *viewer) identifier(ctx context.Context) string {
	if !v.once {
		v.once = true
		if me, err := v.c.Me(ctx); err == nil {
			v.id = me.Identifier
		}
	}
	return v.id
}

// joinAuthors is the authors of a book in one text.
func joinAuthors(b api.Book) string { return strings.Join(b.Authors, "; ") }

// Widths below which a table of books leaves columns out.
const (
	roomForISBN    = 64
	roomForAuthors = 48
)

// bookTable is a table of books that has room for what the screen has room for.
type bookTable struct {
	*terminal.Table
	authors, isbn bool
}

func newBookTable(t *terminal.Terminal) *bookTable {
	b := &bookTable{
		authors: !t.Interactive() || t.Width() >= roomForAuthors,
		isbn:    !t.Interactive() || t.Width() >= roomForISBN,
	}
	columns := []terminal.Column{{Title: "id", Style: terminal.Dim}, {Title: "title", Give: 2, Style: terminal.Bold}}
	if b.authors {
		columns = append(columns, terminal.Column{Title: "authors", Give: 5})
	}
	if b.isbn {
		columns = append(columns, terminal.Column{Title: "isbn", Give: 1})
	}
	b.Table = t.NewTable(append(columns, terminal.Column{Title: "status"})...)
	return b
}

func (t *bookTable) add(id string, b api.Book, status string) error {
	cells := []terminal.Cell{{Text: id}, {Text: b.Title}}
	if t.authors {
		cells = append(cells, terminal.Cell{Text: joinAuthors(b)})
	}
	if t.isbn {
		cells = append(cells, terminal.Cell{Text: b.ISBN})
	}
	return t.Cells(append(cells, terminal.Cell{Text: status, Style: statusStyles[status]})...)
}

// offerBooks shows the books that a name could mean, beside the results.
func (a *app) offerBooks(choices []api.Book) error {
	screen := a.screen()
	table := newBookTable(screen)
	ids := make([]string, len(choices))
	for i, b := range choices {
		ids[i] = b.Identifier
	}
	if screen.Interactive() {
		ids = shortIDs(ids)
	}
	for i, b := range choices {
		status := statusFree
		if b.Borrowed {
			status = statusOnLoan
		}
		if err := table.add(ids[i], b, status); err != nil {
			return err
		}
	}
	return table.Flush()
}

// screen is a terminal whose results go where everything else goes.
func (a *app) screen() *terminal.Terminal {
	return terminal.New(terminal.Options{Out: a.env.Stderr, Err: a.env.Stderr, Lookup: a.env.Lookup, NoColor: a.noColor})
}

// explainBook says what a refusal about a book means, in kinder words than the
// service can: it does not know who reads them.
func explainBook(b api.Book, err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	title := quote(b.Title)
	switch refused.Code {
	case library.ErrBookBorrowed.Code:
		return fail(ExitConflict, "%s is on loan at the moment. 'library books list --available' shows what is free.\n'library holds add %s' reserves it for you.", title, title)
	case library.ErrBookNotBorrowed.Code:
		return fail(ExitConflict, "%s is not on loan, so there is nothing to return. 'library books list --mine' shows what you have.", title)
	case library.ErrNotYourLoan.Code:
		return fail(ExitFailed, "Somebody else has %s; only they can return it. 'library books list --mine' shows what you have.", title)
	case library.ErrBookOnLoan.Code:
		return fail(ExitConflict, "%s is on loan%s. It can be deleted once it has been returned.", title, toBorrower(b))
	case library.ErrOutdated.Code:
		return fail(ExitConflict, "Somebody else has changed %s in the meantime, so nothing was done. 'library books show %s' shows how it is now.", title, b.Identifier)
	case library.ErrIdentifierTaken.Code:
		return fail(ExitConflict, "There is a book with this identifier already. Leave --id out to get a new one.")
	case library.ErrBookNotFound.Code:
		return fail(ExitNotFound, "%s is not in the library any more; somebody has deleted it.", title)
	}
	m := matter{title: b.Title}
	if b.Hold != nil {
		m.place = b.Hold.Position
	}
	return m.explain(err)
}

// toBorrower says who has a book, for those who may know.
func toBorrower(b api.Book) string {
	if b.BorrowedBy == nil {
		return ""
	}
	return " to " + personName(*b.BorrowedBy)
}

func personName(p api.Person) string { return terminal.Clean(p.FirstName + " " + p.LastName) }
