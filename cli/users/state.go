package users

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newDeactivate(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "deactivate USER",
		Short: "Switch a user off",
		Long: `Switch a user off. From now on the library refuses the person like somebody
unknown. The record stays, with all loans and reservations, and 'library users
activate' lets the person in again. At a terminal it asks before it does, unless you
say --yes.`,
		Example: `  library users deactivate bruce.banner@example.com
  library users deactivate R0001 --yes`,
	}
	command.YesFlag(cmd, &yes)
	return newSwitch(a, cmd, func(ctx context.Context, c *client.Client, u api.User) error {
		question := "Switch off " + command.FullName(u) + " (" + terminal.Clean(u.Email) + ")?"
		if err := a.Confirm(ctx, yes || !a.Term.CanAsk(), question, "Nobody was switched off."); err != nil {
			return err
		}
		return switchUser(ctx, a, c, u, false)
	})
}

func newActivate(a *command.App) *cobra.Command {
	return newSwitch(a, &cobra.Command{
		Use:   "activate USER",
		Short: "Switch a user on again",
		Long:  `Switch a user on again who was switched off. Loans and reservations are as they were.`,
		Example: `  library users activate bruce.banner@example.com
  library users activate R0001`,
	}, func(ctx context.Context, c *client.Client, u api.User) error { return switchUser(ctx, a, c, u, true) })
}

// newSwitch completes a command for switching a user on or off.
func newSwitch(a *command.App, cmd *cobra.Command, do func(context.Context, *client.Client, api.User) error) *cobra.Command {
	a.JSONFlag(cmd, "the whole record")
	return onUser(a, cmd, records.Called, do)
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
	}
	return onUser(a, cmd, records.Called, func(ctx context.Context, c *client.Client, u api.User) error {
		if err := c.UnbindUser(ctx, u.Identifier); err != nil {
			return explainUser(u, err)
		}
		a.Say("Untied %s.", command.FullName(u))
		return nil
	})
}

// offerSwitch warns if the person would come back with the next login, and offers to
// switch them off instead. It reports whether they were switched off.
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
