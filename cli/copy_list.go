package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/client"
)

func newCopyList(a *app) *cobra.Command {
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
	}
	a.jsonFlag(cmd, "whole records")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := a.bookFinder(c).find(ctx, args[0])
		if err != nil {
			return err
		}
		page, err := c.Copies(ctx, b.Identifier)
		if err != nil {
			return explainBook(b, err)
		}
		if a.json {
			return printArray(a, each(page.Items))
		}
		if err := tableCopies(ctx, a.term, newCalendar(c), page.Items); err != nil {
			return err
		}
		if len(page.Items) == 0 {
			a.say("%s has no copies. 'library copies add' adds one.", quote(b.Title))
		}
		return nil
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}
