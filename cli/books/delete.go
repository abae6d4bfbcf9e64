package books

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newDelete(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "delete BOOK",
		Aliases: []string{"rm"},
		Short:   "Delete a book",
		Long: `Delete a book that nobody has borrowed. It asks before it does, unless you say
--yes; then the whole title, the ISBN or the identifier has to be given.`,
		Example: `  library books delete "Clean Code"
  library books delete f9bf70d6-e56d-4cab-be6b-294cd05f599f --yes`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := records.BookFinder(a, c).FindUnasked(ctx, args[0], yes)
		if err != nil {
			return err
		}
		b, version, err := c.Book(ctx, found.Identifier)
		if err != nil {
			return records.ExplainBook(found, err)
		}
		name := command.Quote(b.Title)
		if len(b.Authors) > 0 {
			name += " by " + command.CleanList(b.Authors)
		}
		if err := a.Confirm(ctx, yes, "Delete "+name+"?", "Nothing was deleted."); err != nil {
			return err
		}
		if err := c.DeleteBook(ctx, b.Identifier, version); err != nil {
			return records.ExplainBook(b, err)
		}
		a.Say("Deleted %s.", command.Quote(b.Title))
		return nil
	})
}
