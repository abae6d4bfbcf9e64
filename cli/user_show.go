package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

func newUserShow(a *app) *cobra.Command {
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
	a.jsonFlag(cmd, "the whole record")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		u, err := a.userFinder(c).find(ctx, args[0])
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(u)
		}
		return a.showUser(u)
	})
	cmd.ValidArgsFunction = completeUsers(a)
	return cmd
}

func (a *app) showUser(u api.User) error {
	if !a.term.Interactive() {
		return a.printFields([]fact{
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
	return a.printSheet(userName(u), nil, []fact{
		{"E-mail", u.Email}, {"Roles", roles}, {"Card", u.Card}, {"Language", u.Locale}, {"Reminders", reminders}, {"Identifier", u.Identifier},
	})
}
