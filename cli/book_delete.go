package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/client"
)

func newBookDelete(a *app) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "delete BOOK",
		Aliases: []string{"rm"},
		Short:   "Delete a book",
		Long: `Delete a book that nobody has borrowed. It asks before it does, unless you say
--yes; then the whole title, the ISBN or the identifier has to be given.`,
		Example: `  library books delete "Clean Code"
  library books delete f9bf70d6-e56d-4cab-be6b-294cd05f599f --yes`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return a.mustAskOr(cmd, yes) },
	}
	yesFlag(cmd, &yes)
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := a.bookFinder(c).findUnasked(ctx, args[0], yes)
		if err != nil {
			return err
		}
		b, version, err := c.Book(ctx, found.Identifier)
		if err != nil {
			return explainBook(found, err)
		}
		name := quote(b.Title)
		if len(b.Authors) > 0 {
			name += " by " + cleanList(b.Authors)
		}
		if err := a.confirm(ctx, yes, "Delete "+name+"?", "Nothing was deleted."); err != nil {
			return err
		}
		if err := c.DeleteBook(ctx, b.Identifier, version); err != nil {
			return explainBook(b, err)
		}
		a.say("Deleted %s.", quote(b.Title))
		return nil
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}
