package users

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

func newShow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show USER",
		Aliases: []string{"view"},
		Short:   "Show a user",
		Long: `Show a user.

In a pipe there is one line for each field: its name, a tab and its value.`,
		Example: `  library users show bruce.wayne@example.com
  library users show "Bruce Wayne" --json
  library users show R0001
  library users show c47641ee`,
	}
	a.JSONFlag(cmd, "the whole record")
	a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		u, err := userFinder(a, c).Find(ctx, args[0])
		if err != nil {
			return err
		}
		if a.JSON {
			return a.PrintJSON(u)
		}
		return showUser(a, u)
	})
	cmd.ValidArgsFunction = completeUsers(a)
	return cmd
}

func showUser(a *command.App, u api.User) error {
	if !a.Term.Interactive() {
		return a.PrintFields([]command.Fact{
			{"identifier", u.Identifier}, {"email", u.Email}, {"firstName", u.FirstName}, {"lastName", u.LastName}, {"roles", joinRoles(u)},
			{"card", u.Card}, {"locale", u.Locale}, {"reminders", strconv.FormatBool(u.Reminders)},
		})
	}
	roles := joinRoles(u)
	if roles == "" {
		roles = "none"
	}
	reminders := "yes"
	if !u.Reminders {
		reminders = "no"
	}
	return a.PrintSheet(userName(u), nil, []command.Fact{
		{"E-mail", u.Email}, {"Roles", roles}, {"Card", u.Card}, {"Language", u.Locale}, {"Reminders", reminders}, {"Identifier", u.Identifier},
	})
}
