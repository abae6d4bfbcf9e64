package users

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// offerSwitch says so if the person would come back with the next login, and offers to
// switch them off instead. It reports whether that was done.
func offerSwitch(ctx context.Context, a *command.App, c *client.Client, u api.User, yes bool) (bool, error) {
	if me, err := c.Me(ctx); err != nil || me.Provision != api.ProvisionLogin {
		return false, nil // a refusal to remove says why
	}
	if !u.Active {
		a.Message("This library makes a record for everybody who signs in with a role: "+
			"%s is switched off and does not come back, but once removed comes back with the next login, without the history.", command.FullName(u))
		return false, nil
	}
	a.Message("This library makes a record for everybody who signs in with a role: "+
		"%s comes back with the next login, without the history. Who is switched off does not come back.", command.FullName(u))
	if yes {
		return false, nil
	}
	agreed, err := command.Await(ctx, func() (bool, error) { return a.Term.Confirm("Switch off instead?") })
	if err != nil || !agreed {
		return false, err
	}
	return true, switchUser(ctx, a, c, u, false)
}

func newRemove(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:     "remove USER",
		Aliases: []string{"rm", "delete"},
		Short:   "Remove a user",
		Long: `Remove a user who has no borrowed books. It asks before it does, unless you say
--yes; then the whole name, the e-mail address, the card or the identifier has to
be given.

The login may still know the person, but the library does not let them in any more.
Where a first login makes the record, the person comes back with the next one: there it
offers to switch the person off instead ('library users deactivate').`,
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
		instead, err := offerSwitch(ctx, a, c, u, yes)
		if err != nil || instead {
			return err
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
