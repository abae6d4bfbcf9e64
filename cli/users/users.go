// Package users is 'library users': a file for each command.
package users

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
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
		Example: `  library users list
  library users show clark.kent@example.com
  library users show R0001
  library users add --email diana.prince@example.com --first-name Diana --last-name Prince --role reader
  library users edit "Diana Prince" --role curator`,
	},
		newList(a), newShow(a), newAdd(a), newEdit(a), newRemove(a))
}

// parseRoles takes the words of people and the names of the service.
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

// joinRoles is the roles of a user in the words of people.
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

// userName is how a user is called, as it came from the service.
func userName(u api.User) string { return u.FirstName + " " + u.LastName }

const roomForRoles = 60

// userTable is a table of users.
type userTable struct {
	*terminal.Table
	roles bool
}

func newUserTable(t *terminal.Terminal) *userTable {
	b := &userTable{roles: !t.Interactive() || t.Width() >= roomForRoles}
	columns := []terminal.Column{
		{Title: "id", Style: terminal.Dim}, {Title: "name", Give: 3, Style: terminal.Bold}, {Title: "e-mail", Give: 2},
	}
	if b.roles {
		columns = append(columns, terminal.Column{Title: "roles", Give: 1})
	}
	b.Table = t.NewTable(columns...)
	return b
}

func (t *userTable) add(id string, u api.User) error {
	cells := []string{id, userName(u), u.Email}
	if t.roles {
		cells = append(cells, joinRoles(u))
	}
	return t.Row(cells...)
}

// tableUsers fills a table and writes it.
func tableUsers(t *terminal.Terminal, users []api.User) error {
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = u.Identifier
	}
	if t.Interactive() {
		ids = command.ShortIDs(ids)
	}
	table := newUserTable(t)
	for i, u := range users {
		if err := table.add(ids[i], u); err != nil {
			return err
		}
	}
	return table.Flush()
}

// explainUser says what a refusal about a user means.
func explainUser(u api.User, err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case library.ErrEmailTaken.Code:
		return command.Fail(command.ExitConflict, "There is already a user with the e-mail address %s.", terminal.Clean(u.Email))
	case library.ErrCardTaken.Code:
		return command.Fail(command.ExitConflict, "Another user has the card %s. 'library users edit' gives that user another one, or --card '' none.", command.Quote(u.Card))
	case library.ErrUserHasBooks.Code:
		return command.Fail(command.ExitConflict, "%s still has borrowed books. They must be returned first.", command.FullName(u))
	case library.ErrOwnAccount.Code:
		return command.Fail(command.ExitConflict, "You cannot remove yourself. Another admin can.")
	case library.ErrLastAdmin.Code:
		return command.Fail(command.ExitConflict, "%s is the only admin. Give the role to somebody else first.", command.FullName(u))
	case library.ErrOutdated.Code:
		return command.Fail(command.ExitConflict, "Somebody else has changed %s in the meantime, so nothing was done. 'library users show %s' shows the user as it is now.",
			command.FullName(u), u.Identifier)
	case library.ErrUserNotFound.Code:
		return command.Fail(command.ExitNotFound, "%s is no longer a user; the record has been removed.", command.FullName(u))
	}
	return err
}
