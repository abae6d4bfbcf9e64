package users

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newUnbind(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "unbind USER",
		Short: "Untie a user from the account at the identity provider",
		Long: `Untie a user from the account at the identity provider.

A library that runs with --bind-subject ties each user to the first account that
comes with the user's e-mail address, and refuses other accounts with the same
address. If a person's account was made anew, untie the user: the next account that
comes with the address gets the record. Make sure that it is the same person.`,
		Example: `  library users unbind bruce.banner@example.com
  library users unbind R0001`,
		ValidArgsFunction: completeUsers(a),
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		u, err := userFinder(a, c).Only(records.Called).Find(ctx, args[0])
		if err != nil {
			return err
		}
		if err := c.UnbindUser(ctx, u.Identifier); err != nil {
			return explainUser(u, err)
		}
		a.Say("Untied %s.", command.FullName(u))
		return nil
	})
}
