package users

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// input is a user as flags give it.
type input struct {
	given                      func(flag string) bool
	email, firstName, lastName string
	roles                      []string
	card, locale, group        string
	reminders                  bool
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVar(&in.email, "email", "", "e-mail address, by which the login knows the user")
	f.StringVar(&in.firstName, "first-name", "", "first name")
	f.StringVar(&in.lastName, "last-name", "", "last name")
	f.StringSliceVar(&in.roles, "role", nil, "reader, curator or admin; repeat it for several")
	f.StringVar(&in.card, "card", "", "number of the library card, as a scanner reads it; '' for none")
	f.StringVar(&in.locale, "locale", "en", "language of mails: en, as by default, or de")
	command.SwitchFlag(cmd, &in.reminders, "reminders", "mails about due dates; --reminders=off for none, except when a book is ready")
	f.StringVar(&in.group, "group", "", "class or department; '' for none")
	f.Lookup("locale").DefValue = "" // an edit leaves it as it is
	command.CompleteFlag(cmd, "role", command.RoleChoices()...)
	command.CompleteFlag(cmd, "locale", library.Locales...)
}

// check returns what is wrong with the values.
func (in *input) check() command.Problems {
	_, problems := parseRoles(in.roles)
	if !slices.Contains(library.Locales, in.locale) {
		problems.AddChoice("--locale", in.locale, library.Locales)
	}
	return problems
}

// over puts the fields that were given over those of a user.
func (in *input) over(f client.UserFields) client.UserFields {
	for flag, set := range map[string]func(){
		"email":      func() { f.Email = in.email },
		"first-name": func() { f.FirstName = in.firstName },
		"last-name":  func() { f.LastName = in.lastName },
		"role":       func() { f.Roles, _ = parseRoles(in.roles) },
		"card":       func() { f.Card = in.card },
		"locale":     func() { f.Locale = in.locale },
		"reminders":  func() { f.Reminders = &in.reminders },
		"group":      func() { f.Group = in.group },
	} {
		if in.given(flag) {
			set()
		}
	}
	return f
}

func newAdd(a *command.App) *cobra.Command {
	in, id := &input{}, ""
	cmd := &cobra.Command{
		Use:   "add",
		Short: "Add a user",
		Long: `Add a user. The library keeps no passwords: people sign in at the identity
provider, and their e-mail address there says which user they are.

Where the library takes roles from the token of the identity provider, those
given here have no effect. In a pipe the identifier of the new user is printed.`,
		Example: `  library users add --email diana.prince@example.com --first-name Diana --last-name Prince
  library users add --email lois.lane@example.com --first-name Lois --last-name Lane --role reader --role curator
  library users add --email kara.danvers@example.com --first-name Kara --last-name Danvers --role reader --card CARD-7 --group 7b`,
	}
	in.flags(cmd)
	cmd.Flags().StringVar(&id, "id", "", "identifier, a UUID; by default a new one")
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := in.check()
		for _, flag := range []string{"email", "first-name", "last-name"} {
			if !in.given(flag) {
				problems.Add("--"+flag, "is missing")
			}
		}
		if _, is := library.ParseID(id); id != "" && !is {
			problems.Add("--id", fmt.Sprintf("is %q; it must be a UUID of 36 characters", id))
		}
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		fields := in.over(client.UserFields{Identifier: id})
		u, err := c.AddUser(ctx, fields)
		if err != nil {
			return explainUser(api.User{Email: fields.Email, FirstName: fields.FirstName, LastName: fields.LastName, Card: fields.Card}, err)
		}
		if in.given("role") {
			warnOfIdleRoles(ctx, a, c)
		}
		return a.Added(u, u.Identifier, "Added %s (%s).", command.FullName(u), terminal.Clean(u.Identifier))
	})
}

// warnOfIdleRoles warns that roles in a record have no effect where the library
// takes them from the token.
func warnOfIdleRoles(ctx context.Context, a *command.App, c *client.Client) {
	if me, err := c.Me(ctx); err == nil && me.RolesFrom == api.RolesFromToken {
		a.Message("Warning: this library takes roles from the token of the identity provider. The roles in the record are kept, but have no effect;\n" +
			"give the person the role at the identity provider.")
	}
}
