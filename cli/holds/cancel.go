package holds

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newCancel(a *command.App) *cobra.Command {
	scope := &records.Scope{}
	cmd := &cobra.Command{
		Use:     "cancel HOLD...",
		Aliases: []string{"rm", "remove"},
		Short:   "Give places in queues up",
		Long: `Give up places in queues. A copy that was set aside goes to the next in line.
Readers cancel their own holds, curators everybody's.`,
		Example: `  library holds cancel "Clean Code"
  library holds cancel "Clean Code" --user "Bruce Wayne"
  library holds cancel 9b1f22c4 81c0de99`,
	}
	scope.UserFlag(a, cmd, "holds")
	a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.Find(ctx, a, c)
		if err != nil {
			return err
		}
		finder := holdFinder(ctx, a, c, user)
		return a.EachName(ctx, c, args, "holds could not be cancelled", func(name string) error {
			h, err := finder.Find(ctx, name)
			if err != nil {
				return err
			}
			if err := c.CancelHold(ctx, h.Identifier); err != nil {
				return records.Matter{Title: h.Book.Title}.Explain(err)
			}
			a.Say("The hold of %s is cancelled.", command.Quote(h.Book.Title))
			return nil
		})
	})
	cmd.ValidArgsFunction = completeHolds(a)
	return cmd
}
