package copies

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newRemove(a *command.App) *cobra.Command {
	yes, book := false, ""
	cmd := &cobra.Command{
		Use:     "remove COPY",
		Aliases: []string{"rm", "delete"},
		Short:   "Remove a copy of a book",
		Long: `Remove a copy that nobody has borrowed. It asks before it does, unless you say
--yes; then the barcode, the identifier or the whole title has to be given. If the
copy is set aside for somebody, they are the first in the queue again.`,
		Example: `  library copies remove B-0002
  library copies remove 4f1d --book "Clean Code"
  library copies remove B-0002 --yes`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	copyBookFlag(a, cmd, &book)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, version, err := findCopy(ctx, a, c, args[0], book, yes)
		if err != nil {
			return err
		}
		if err := a.Confirm(ctx, yes, "Remove "+found.Name()+"?", "Nothing was removed."); err != nil {
			return err
		}
		if err := c.DeleteCopy(ctx, found.Identifier, version); err != nil {
			return explainCopy(found, "", err)
		}
		a.Say("Removed %s.", found.Name())
		return nil
	})
}
