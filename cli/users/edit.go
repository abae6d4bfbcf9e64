package users

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

var editable = []string{"email", "first-name", "last-name", "role", "card", "locale", "reminders", "group"}

func newEdit(a *command.App) *cobra.Command {
	in, noRoles := &input{}, false
	cmd := &cobra.Command{
		Use:   "edit USER",
		Short: "Change a user",
		Long:  `Change a user. What is not named stays as it is; --role replaces all roles.`,
		Example: `  library users edit bruce.wayne@example.com --role reader --role curator
  library users edit "Bruce Wayne" --email batman@example.com
  library users edit "Bruce Wayne" --card CARD-7 --locale de
  library users edit R0001 --reminders=off
  library users edit R0001 --group 8b
  library users edit c47641ee --no-roles`,
		ValidArgsFunction: completeUsers(a),
	}
	in.flags(cmd)
	cmd.Flags().BoolVar(&noRoles, "no-roles", false, "take all roles away")
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := in.check()
		if noRoles && in.given("role") {
			problems.Add("--no-roles", "cannot go with --role")
		}
		if !noRoles && !slices.ContainsFunc(editable, in.given) {
			problems.Add("", "nothing to change; say what with --"+strings.Join(editable, ", --")+" or --no-roles")
		}
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return editUser(ctx, a, c, args[0], in, noRoles)
	})
}

func editUser(ctx context.Context, a *command.App, c *client.Client, name string, in *input, noRoles bool) error {
	found, err := userFinder(a, c).Only(records.Called).Find(ctx, name)
	if err != nil {
		return err
	}
	before, version, err := c.User(ctx, found.Identifier)
	if err != nil {
		return explainUser(found, err)
	}
	fields := in.over(client.UserFieldsOf(before))
	if noRoles {
		fields.Roles = []string{}
	}
	after, err := c.EditUser(ctx, before.Identifier, fields, version)
	if err != nil {
		wanted := before
		wanted.Email, wanted.Card = fields.Email, fields.Card // they may be somebody else's
		return explainUser(wanted, err)
	}
	if noRoles || in.given("role") {
		warnOfIdleRoles(ctx, a, c)
	}
	return a.Changed(after, "Changed %s (%s).", command.FullName(after), terminal.Clean(after.Email))
}
