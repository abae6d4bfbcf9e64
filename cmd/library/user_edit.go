package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/client"
)

func newUserEdit(a *app) *cobra.Command {
	in, noRoles := &userInput{}, false
	cmd := &cobra.Command{
		Use:   "edit USER",
		Short: "Change a user",
		Long:  `Change a user. What is not named stays as it is; --role replaces all roles.`,
		Example: `  library users edit bruce.wayne@example.com --role reader --role curator
  library users edit "Bruce Wayne" --email batman@example.com
  library users edit c47641ee --no-roles`,
	}
	in.flags(cmd)
	cmd.Flags().BoolVar(&noRoles, "no-roles", false, "take all roles away")
	a.jsonFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		_, faults := parseRoles(in.roles)
		if noRoles && in.given("role") {
			faults = append(faults, fault{"--no-roles", "cannot go with --role"})
		}
		if !noRoles && !slices.ContainsFunc([]string{"email", "first-name", "last-name", "role"}, in.given) {
			faults = append(faults, fault{"", "nothing to change; say what with --email, --first-name, --last-name, --role or --no-roles"})
		}
		if len(faults) > 0 {
			return &usageError{command: cmd.CommandPath(), faults: faults}
		}
		return nil
	}
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return a.editUser(ctx, c, args[0], in, noRoles)
	})
	cmd.ValidArgsFunction = a.completeUsers
	return cmd
}

func (a *app) editUser(ctx context.Context, c *client.Client, name string, in *userInput, noRoles bool) error {
	found, err := a.userFinder(c).only(called).find(ctx, name)
	if err != nil {
		return err
	}
	before, version, err := c.User(ctx, found.Identifier)
	if err != nil {
		return explainUser(found, err)
	}
	fields := in.over(client.UserFields{
		Identifier: before.Identifier, Email: before.Email, FirstName: before.FirstName, LastName: before.LastName,
	})
	if noRoles {
		fields.Roles = []string{}
	}
	after, err := c.EditUser(ctx, before.Identifier, fields, version)
	if err != nil {
		wanted := before
		wanted.Email = fields.Email // it may be somebody else's
		return explainUser(wanted, err)
	}
	if noRoles || in.given("role") {
		a.warnOfIdleRoles(ctx, c)
	}
	if a.json {
		return a.printJSON(after)
	}
	a.say("Changed %s.", fmt.Sprintf("%s (%s)", fullName(after), cleanList([]string{after.Email})))
	return nil
}
