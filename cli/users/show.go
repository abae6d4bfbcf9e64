package users

import (
	"cmp"
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
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
		ValidArgsFunction: completeUsers(a),
	}
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		u, err := userFinder(a, c).Find(ctx, args[0])
		if err != nil {
			return err
		}
		return a.Print(u, func() error { return showUser(ctx, a, c, u) })
	})
}

func showUser(ctx context.Context, a *command.App, c *client.Client, u api.User) error {
	if !a.Term.Interactive() {
		return a.PrintFields([]command.Fact{
			{"identifier", u.Identifier}, {"email", u.Email}, {"firstName", u.FirstName}, {"lastName", u.LastName}, {"roles", joinRoles(u)},
			{"card", u.Card}, {"locale", u.Locale}, {"reminders", strconv.FormatBool(u.Reminders)},
			{"group", u.Group}, {"active", strconv.FormatBool(u.Active)}, {"bound", strconv.FormatBool(u.Bound)},
			{"mailProblem", mailProblem(u)},
		})
	}
	state := ""
	if !u.Active {
		state = "switched off"
	}
	return a.PrintSheet(userName(u), nil, []command.Fact{
		{"E-mail", u.Email}, {"Roles", cmp.Or(joinRoles(u), "none")}, {"Card", u.Card}, {"Language", u.Locale}, {"Reminders", reminders(u, command.SendsMail(ctx, c))},
		{"Mail", unreachable(ctx, records.NewCalendar(c), u)}, {"Group", u.Group}, {"State", state}, {"Identifier", u.Identifier},
	})
}

// reminders says whether a person is reminded, "" where no mails are sent.
func reminders(u api.User, mails bool) string {
	switch {
	case !mails:
		return ""
	case u.Reminders:
		return "yes"
	}
	return "no"
}

// unreachable says why nobody writes to a person, "" if mails arrive.
func unreachable(ctx context.Context, k *records.Calendar, u api.User) string {
	if u.MailProblem == nil {
		return ""
	}
	return "cannot be reached by mail since " + k.Day(ctx, u.MailProblem.Since) + ": the mail server does not accept the address (" + strconv.Itoa(u.MailProblem.Code) +
		"). Change the address, or try again with 'library notices retry'."
}

// mailProblem is the same for programs.
func mailProblem(u api.User) string {
	if u.MailProblem == nil {
		return ""
	}
	return strconv.Itoa(u.MailProblem.Code) + " " + u.MailProblem.Since
}
