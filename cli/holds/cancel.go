package holds

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
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
	return newChange(a, cmd, scope, "cancelled", func(ctx context.Context, c *client.Client, h api.Hold) (api.Hold, error) {
		return h, c.CancelHold(ctx, h.Identifier)
	}, func(_ context.Context, _ *records.Calendar, h api.Hold) string {
		return "The hold of " + command.Quote(h.Book.Title) + " is cancelled."
	})
}
