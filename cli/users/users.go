// Package users implements 'library users'.
package users

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library users'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "users",
		Aliases: []string{"user"},
		Short:   "Look after the users of the library",
		Long: `Look after the users of the library. This is for admins.

A user is named by e-mail address, by name, by the number of the library card, or
by identifier or the beginning of it (four characters or more).`,
	},
		newList(a), newShow(a), newAdd(a), newEdit(a), newActivate(a), newDeactivate(a), newUnbind(a), newRemove(a), newImport(a), newExport(a), newCards(a))
}

// parseRoles parses roles, in the words of people or the names of the service.
func parseRoles(words []string) (roles []string, problems command.Problems) {
	roles = []string{}
	for _, word := range words {
		role, known := command.ParseRole(word)
		if !known {
			problems.AddChoice("--role", word, command.RoleChoices())
			continue
		}
		roles = append(roles, string(role))
	}
	return roles, problems
}

func joinRoles(u api.User) string {
	words := make([]string, len(u.Roles))
	for i, role := range u.Roles {
		words[i] = role
		if known, is := command.ParseRole(role); is {
			words[i] = command.RoleWords[known]
		}
	}
	return strings.Join(words, ", ")
}

// userName returns the full name of a user, as it came from the service.
func userName(u api.User) string { return u.FirstName + " " + u.LastName }

const roomForGroups = 60

// tableUsers shows users. Groups, categories and states are shown only if somebody has one or is
// switched off, the first two on a wide screen alone; programs always get six columns.
func tableUsers(t *terminal.Terminal, users []api.User) error {
	columns := []terminal.Column{
		{Title: "id", Style: terminal.Dim}, {Title: "name", Give: 3, Style: terminal.Bold}, {Title: "e-mail", Give: 2}, {Title: "roles", Give: 1},
	}
	wide := t.Interactive() && t.Width() >= roomForGroups
	groups := !t.Interactive() || wide && slices.ContainsFunc(users, func(u api.User) bool { return u.Group != "" })
	categories := wide && slices.ContainsFunc(users, func(u api.User) bool { return u.Category != "" })
	states := !t.Interactive() || slices.ContainsFunc(users, func(u api.User) bool { return !u.Active })
	if groups {
		columns = append(columns, terminal.Column{Title: "group", Give: 1})
	}
	if categories {
		columns = append(columns, terminal.Column{Title: "category", Give: 1})
	}
	if states {
		columns = append(columns, terminal.Column{Title: "state"})
	}
	table := t.NewTable(columns...)
	for i, id := range command.IDs(t, users, func(u api.User) string { return u.Identifier }) {
		u := users[i]
		cells := []string{id, userName(u), u.Email, joinRoles(u)}
		if groups {
			cells = append(cells, u.Group)
		}
		if categories {
			cells = append(cells, u.Category)
		}
		if states && u.Active {
			cells = append(cells, "active")
		} else if states {
			cells = append(cells, "inactive")
		}
		table.Row(cells...)
	}
	return table.Flush()
}

func explainUser(u api.User, err error) error {
	name := command.FullName(u)
	return command.InWords(err, map[string]string{
		library.ErrEmailTaken.Code:   "There is already a user with the e-mail address " + terminal.Clean(u.Email) + ".",
		library.ErrCardTaken.Code:    "Another user has the card " + command.Quote(u.Card) + ". 'library users edit' gives that user another one, or --card '' none.",
		library.ErrUserHasBooks.Code: name + " still has borrowed books. They must be returned first.",
		library.ErrOwnAccount.Code:   "You cannot remove yourself. Another admin can.",
		library.ErrSelf.Code:         "You cannot switch yourself off; another admin can.",
		library.ErrLastAdmin.Code:    name + " is the only admin. Give the role to somebody else first.",
		library.ErrOutdated.Code:     "Somebody else has changed " + name + " in the meantime, so nothing was done. 'library users show " + u.Identifier + "' shows the user as it is now.",
		library.ErrUserNotFound.Code: name + " is no longer a user; the record has been removed.",
	})
}

func newList(a *command.App) *cobra.Command {
	q, inactive, limit := client.UserQuery{}, false, 0
	cmd := &cobra.Command{
		Use:        "list",
		Aliases:    []string{"ls"},
		SuggestFor: []string{"search", "find"},
		Short:      "List users",
		Long: `List users, ordered by last name.

In a pipe there is one line for each user, with tabs between six columns:
identifier, name, e-mail address, roles, group, and 'active' or 'inactive'. --csv and
--json have every field.`,
		Example: `  library users list
  library users list --search bruce
  library users list --category pupil
  library users list --inactive`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return command.CheckLimit(cmd, limit).In(cmd) },
	}
	queryFlags(cmd, &q)
	cmd.Flags().BoolVar(&inactive, "inactive", false, "only users who are switched off")
	command.LimitFlag(cmd, &limit)
	a.JSONFlag(cmd, "whole records")
	a.CSVFlag(cmd)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		show := func(users iter.Seq2[api.User, error]) error {
			all, err := command.Collect(users)
			if err != nil {
				return err
			}
			return tableUsers(a.Term, all)
		}
		if inactive {
			q.Active = new(false)
		}
		if a.CSV {
			return a.PrintCSV(ctx, c, q)
		}
		return command.List(a, c.UserPages(ctx, q, a.LimitOf(limit)), show, "users", "No user matches.")
	})
}

// queryFlags declares the flags for a selection of users.
func queryFlags(cmd *cobra.Command, q *client.UserQuery) {
	cmd.Flags().StringVarP(&q.Words, "search", "s", "", "only users with words that begin with these, in name or e-mail address")
	cmd.Flags().StringVar(&q.Group, "group", "", "only users of this class or department")
	cmd.Flags().StringVar(&q.Category, "category", "", "only users of this category, such as pupil")
}

func newShow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show USER",
		Aliases: []string{"view"},
		Short:   "Show a user",
		Long: `Show a user.

In a pipe there is one line for each field: its name, a tab and its value.`,
		Example: `  library users show bruce.wayne@example.com
  library users show "Bruce Wayne" --json
  library users show c47641ee`,
	}
	a.JSONFlag(cmd, "the whole record")
	return onUser(a, cmd, records.Anywhere, func(ctx context.Context, c *client.Client, u api.User) error {
		return a.Print(u, func() error { return showUser(ctx, a, c, u) })
	})
}

func showUser(ctx context.Context, a *command.App, c *client.Client, u api.User) error {
	if !a.Term.Interactive() {
		return a.PrintFields([]command.Fact{
			{"identifier", u.Identifier}, {"email", u.Email}, {"firstName", u.FirstName}, {"lastName", u.LastName}, {"roles", joinRoles(u)},
			{"card", u.Card}, {"locale", u.Locale}, {"reminders", strconv.FormatBool(u.Reminders)},
			{"group", u.Group}, {"category", u.Category}, {"active", strconv.FormatBool(u.Active)}, {"station", strconv.FormatBool(u.Station)}, {"bound", strconv.FormatBool(u.Bound)},
			{"mailProblem", mailProblem(u)},
		})
	}
	kind, state := "", ""
	if u.Station {
		kind = "station"
	}
	if !u.Active {
		state = "switched off"
	}
	return a.PrintSheet(userName(u), nil, []command.Fact{
		{"E-mail", u.Email}, {"Roles", cmp.Or(joinRoles(u), "none")}, {"Card", u.Card}, {"Language", u.Locale}, {"Reminders", reminders(u, command.SendsMail(ctx, c))},
		{"Mail", unreachable(ctx, records.NewCalendar(c), u)}, {"Group", u.Group}, {"Category", u.Category}, {"Kind", kind}, {"State", state}, {"Identifier", u.Identifier},
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

// mailProblem returns the same for programs.
func mailProblem(u api.User) string {
	if u.MailProblem == nil {
		return ""
	}
	return strconv.Itoa(u.MailProblem.Code) + " " + u.MailProblem.Since
}

func newExport(a *command.App) *cobra.Command {
	export := bulk.Export{Private: true} // names, addresses and cards
	var q client.UserQuery
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write users into a file",
		Long: `Write users into a file, as CSV or as JSON with a person per line; without FILE, to
the standard output. 'library users import' reads exactly the same people from it.
Loans and reservations are not in it. The file can be read by you alone.

Spreadsheets run cells that begin with = + - @ as formulas. With --spreadsheet such
cells get an apostrophe in front, which an import takes off again.`,
		Example: `  library users export people.csv
  library users export --group 7a 7a.csv
  library users export --format jsonl | jq .email`,
	}
	export.Flags(cmd)
	queryFlags(cmd, &q)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		path := append(args, "-")[0]
		format, err := export.FileFormat(cmd, path)
		if err != nil {
			return err
		}
		return export.Write(ctx, a, path, format, "user", func(how client.ExportOptions) (*client.Export, error) {
			return c.ExportUsers(ctx, q, how)
		})
	})
}
