package holds

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
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
	return newChange(a, cmd, scope, "changed", func(ctx context.Context, c *client.Client, h api.Hold) (api.Hold, error) {
		return c.FetchHold(ctx, h.Identifier, !undo)
	}, func(ctx context.Context, k *records.Calendar, h api.Hold) string {
		if undo {
			return command.Quote(h.Book.Title) + " still has to be fetched."
		}
		return command.Quote(h.Book.Title) + " is fetched. " + records.SetAside(ctx, k, h) + "."
	})
}
