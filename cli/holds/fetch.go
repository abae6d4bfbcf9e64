package holds

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newFetch(a *command.App) *cobra.Command {
	scope, undo := &records.Scope{}, false
	cmd := &cobra.Command{
		Use:   "fetch HOLD...",
		Short: "Note that copies were taken from their shelves",
		Long: `Note that the copies that are set aside were taken from their shelves and put
with those to be handed out, so that nobody looks for them again. A copy that
comes back at the desk is noted automatically. For curators.`,
		Example: `  library holds fetch "Clean Code"
  library holds fetch 9b1f22c4 81c0de99
  library holds fetch "Clean Code" --undo`,
	}
	scope.UserFlag(a, cmd, "holds")
	cmd.Flags().BoolVar(&undo, "undo", false, "the copies still have to be taken from their shelves")
	a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.Find(ctx, a, c)
		if err != nil {
			return err
		}
		finder := holdFinder(ctx, a, c, user)
		return a.EachName(ctx, c, args, "holds could not be changed", func(name string) error {
			h, err := finder.Find(ctx, name)
			if err != nil {
				return err
			}
			noted, err := c.FetchHold(ctx, h.Identifier, !undo)
			if err != nil {
				return records.Matter{Title: h.Book.Title}.Explain(err)
			}
			if undo {
				a.Say("%s still has to be fetched.", command.Quote(h.Book.Title))
			} else {
				a.Say("%s is fetched. %s.", command.Quote(h.Book.Title), records.SetAside(ctx, records.NewCalendar(c), noted))
			}
			return nil
		})
	})
	cmd.ValidArgsFunction = completeHolds(a)
	return cmd
}
