package cli

import (
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

// joinAuthors is the authors of a book in one text.
func joinAuthors(b api.Book) string { return strings.Join(b.Authors, "; ") }

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
		return fail(ExitConflict, "There is already a book with this identifier. Leave --id out to get a new one.")
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
