package users

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newDeactivate(a *command.App) *cobra.Command {
	return newSwitch(a, false, &cobra.Command{
		Use:   "deactivate USER",
		Short: "Switch a user off",
		Long: `Switch a user off. From now on the library refuses the person like somebody
unknown. The record stays, with all loans and reservations, and 'library users
activate' lets the person in again.`,
		Example: `  library users deactivate bruce.banner@example.com
  library users deactivate R0001`,
	})
}

func newActivate(a *command.App) *cobra.Command {
	return newSwitch(a, true, &cobra.Command{
		Use:   "activate USER",
		Short: "Switch a user on again",
		Long:  `Switch a user on again who was switched off. Loans and reservations are as they were.`,
		Example: `  library users activate bruce.banner@example.com
  library users activate R0001`,
	})
}

// newSwitch completes a command that switches a user on or off.
func newSwitch(a *command.App, on bool, cmd *cobra.Command) *cobra.Command {
	cmd.ValidArgsFunction = completeUsers(a)
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := userFinder(a, c).Only(records.Called).Find(ctx, args[0])
		if err != nil {
			return err
		}
		return switchUser(ctx, a, c, found, on)
	})
}

func switchUser(ctx context.Context, a *command.App, c *client.Client, found api.User, on bool) error {
	u, version, err := c.User(ctx, found.Identifier)
	if err != nil {
		return explainUser(found, err)
	}
	fields := client.UserFieldsOf(u)
	fields.Active = &on
	after, err := c.EditUser(ctx, u.Identifier, fields, version)
	if err != nil {
		return explainUser(u, err)
	}
	if on {
		return a.Changed(after, "%s is let in again.", command.FullName(after))
	}
	return a.Changed(after, "Switched off %s.", command.FullName(after))
}
