package users

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newRemove(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "remove USER",
		Aliases: []string{"rm", "delete"},
		Short:   "Remove a user",
		Long: `Remove a user who has no borrowed books. It asks before it does, unless you say
--yes; then the whole name, the e-mail address, the card or the identifier has to
be given.

The login may still know the person, but the library does not let them in any more.`,
		Example: `  library users remove bruce.banner@example.com
  library users remove "Bruce Banner" --yes`,
		ValidArgsFunction: completeUsers(a),
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, err := userFinder(a, c).FindUnasked(ctx, args[0], yes)
		if err != nil {
			return err
		}
		u, version, err := c.User(ctx, found.Identifier)
		if err != nil {
			return explainUser(found, err)
		}
		question := "Remove " + command.FullName(u) + " (" + terminal.Clean(u.Email) + ")?"
		if err := a.Confirm(ctx, yes, question, "Nobody was removed."); err != nil {
			return err
		}
		if err := c.RemoveUser(ctx, u.Identifier, version); err != nil {
			return explainUser(u, err)
		}
		a.Say("Removed %s.", command.FullName(u))
		return nil
	})
}
