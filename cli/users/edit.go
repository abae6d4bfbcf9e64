package users

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// input is a user as given in flags.
type input struct {
	given                      func(flag string) bool
	email, firstName, lastName string
	roles                      []string
	card, locale, group        string
	category                   string
	note, block                string
	reminders, station         bool
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVar(&in.email, "email", "", "e-mail address, by which the login knows the user")
	f.StringVar(&in.firstName, "first-name", "", "first name")
	f.StringVar(&in.lastName, "last-name", "", "last name")
	f.StringSliceVar(&in.roles, "role", nil, "reader, curator or admin; repeat it for several")
	f.StringVar(&in.card, "card", "", "number of the library card, as a scanner reads it; '' for none")
	f.StringVar(&in.locale, "locale", "", "language of mails: en or de; by default the library's")
	command.SwitchFlag(cmd, &in.reminders, "reminders", "mails about due dates; --reminders=off for none, except when a book is ready")
	command.SwitchFlag(cmd, &in.station, "station", "a machine at which people borrow with their cards, no person; --station=off for a person")
	f.StringVar(&in.group, "group", "", "class or department; '' for none")
	f.StringVar(&in.category, "category", "", "word of the library for the people to whom the same rules apply, such as pupil; '' for none")
	f.StringVar(&in.note, "note", "", "note for the desk, which is in the person's own export, too; '' for none")
	f.StringVar(&in.block, "block", "", "reason for lending nothing to the person; '' for none")
	command.CompleteFlag(cmd, "role", command.RoleChoices()...)
	command.CompleteFlag(cmd, "locale", library.Locales...)
}

func (in *input) check() command.Problems {
	_, problems := parseRoles(in.roles)
	problems.CheckChoice("--locale", in.locale, library.Locales)
	return problems
}

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
		"category":   func() { f.Category = in.category },
		"station":    func() { f.Station = &in.station },
		"note":       func() { f.Note = &in.note },
		"block":      func() { f.Block = &in.block },
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
  library users add --email kara.danvers@example.com --first-name Kara --last-name Danvers --role reader --card CARD-7 --group 7b
  library users add --email station@example.com --first-name Front --last-name Door --station`,
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
		problems.CheckID("--id", id)
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

// warnOfIdleRoles warns of roles in a record without an effect, because the library
// takes them from the token.
func warnOfIdleRoles(ctx context.Context, a *command.App, c *client.Client) {
	if me, err := c.Me(ctx); err == nil && me.RolesFrom == api.RolesFromToken {
		a.Message("Warning: this library takes roles from the token of the identity provider. The roles in the record are kept, but have no effect;\n" +
			"give the person the role at the identity provider.")
	}
}

var editable = []string{"email", "first-name", "last-name", "role", "card", "locale", "reminders", "group", "category", "station", "note", "block"}

func newEdit(a *command.App) *cobra.Command {
	in, noRoles := &input{}, false
	cmd := &cobra.Command{
		Use:   "edit USER",
		Short: "Change a user",
		Long:  `Change a user. What is not named stays as it is; --role replaces all roles.`,
		Example: `  library users edit bruce.wayne@example.com --role reader --role curator
  library users edit "Bruce Wayne" --email batman@example.com
  library users edit R0001 --reminders=off
  library users edit c47641ee --no-roles`,
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
	return onUser(a, cmd, records.Called, func(ctx context.Context, c *client.Client, u api.User) error {
		return editUser(ctx, a, c, u, in, noRoles)
	})
}

func editUser(ctx context.Context, a *command.App, c *client.Client, found api.User, in *input, noRoles bool) error {
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
		if fields.Station != nil && *fields.Station {
			err = command.InWords(err, map[string]string{
				library.ErrSelf.Code:         "You cannot make a station of your own account; another admin can.",
				library.ErrUserHasBooks.Code: command.FullName(before) + " has borrowed or reserved books. A station has none; give it an account of its own.",
			})
		}
		wanted := before
		wanted.Email, wanted.Card = fields.Email, fields.Card // they may be somebody else's
		return explainUser(wanted, err)
	}
	if noRoles || in.given("role") {
		warnOfIdleRoles(ctx, a, c)
	}
	return a.Changed(after, "Changed %s (%s).", command.FullName(after), terminal.Clean(after.Email))
}
