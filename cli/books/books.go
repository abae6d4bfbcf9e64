// Package books is 'library books': a file for each command.
package books

import (
	"github.com/spf13/cobra"

	"example.org/library/cli/command"
)

// New makes 'library books'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
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
		newList(a), newShow(a), newBorrow(a), newReturn(a),
		newAdd(a), newEdit(a), newDelete(a), newCover(a), newImport(a), newExport(a))
}
