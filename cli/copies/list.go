package copies

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newList(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list BOOK",
		Aliases: []string{"ls"},
		Short:   "List the copies of a book",
		Long: `List the copies of a book in the order in which they were added, with where they
stand and who has them.

In a pipe there is one line for each copy, with tabs between identifier, barcode,
shelf, state, where it is, and note.`,
		Example: `  library copies list "Clean Code"
  library copies list 978-0-13-235088-4 --json`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	a.JSONFlag(cmd, "whole records")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := records.BookFinder(a, c).Find(ctx, args[0])
		if err != nil {
			return err
		}
		page, err := c.Copies(ctx, b.Identifier)
		if err != nil {
			return records.ExplainBook(b, err)
		}
		if a.JSON {
			return command.PrintArray(a, command.Sequence(page.Items))
		}
		if err := tableCopies(ctx, a.Term, records.NewCalendar(c), page.Items); err != nil {
			return err
		}
		if len(page.Items) == 0 {
			a.Say("%s has no copies. 'library copies add' adds one.", command.Quote(b.Title))
		}
		return nil
	})
}
