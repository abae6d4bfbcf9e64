// Package users is 'library users': a file for each command.
package users

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
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
  library users edit "Diana Prince" --role curator
  library users deactivate "Diana Prince"`,
	},
		newList(a), newShow(a), newAdd(a), newEdit(a), newActivate(a), newDeactivate(a), newUnbind(a), newRemove(a), newImport(a), newExport(a), newCards(a))
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

// tableUsers shows users. On a narrow screen it leaves their roles out. Groups, and who is
// switched off, are shown where there are any; programs get both or neither.
func tableUsers(t *terminal.Terminal, users []api.User) error {
	columns := []terminal.Column{
		{Title: "id", Style: terminal.Dim}, {Title: "name", Give: 3, Style: terminal.Bold}, {Title: "e-mail", Give: 2}, {Title: "roles", Give: 1},
	}
	if t.Interactive() && t.Width() < roomForRoles {
		columns = columns[:3]
	}
	groups := slices.ContainsFunc(users, func(u api.User) bool { return u.Group != "" })
	states := slices.ContainsFunc(users, func(u api.User) bool { return !u.Active })
	if !t.Interactive() {
		groups, states = groups || states, groups || states
	}
	named := len(columns)
	if groups {
		columns = append(columns, terminal.Column{Title: "group", Give: 1})
	}
	if states {
		columns = append(columns, terminal.Column{Title: "state"})
	}
	table := t.NewTable(columns...)
	for i, id := range command.IDs(t, users, func(u api.User) string { return u.Identifier }) {
		u := users[i]
		cells := []string{id, userName(u), u.Email, joinRoles(u)}[:named]
		if groups {
			cells = append(cells, u.Group)
		}
		if states {
			cells = append(cells, stateOf(u))
		}
		table.Row(cells...)
	}
	return table.Flush()
}

// stateOf says whether a user is let in.
func stateOf(u api.User) string {
	if u.Active {
		return "active"
	}
	return "inactive"
}

// explainUser says what a refusal about a user means.
func explainUser(u api.User, err error) error {
	name := command.FullName(u)
	return command.InWords(err, map[string]string{
		library.ErrEmailTaken.Code:   "There is already a user with the e-mail address " + terminal.Clean(u.Email) + ".",
		library.ErrCardTaken.Code:    "Another user has the card " + command.Quote(u.Card) + ". 'library users edit' gives that user another one, or --card '' none.",
		library.ErrUserHasBooks.Code: name + " still has borrowed books. They must be returned first.",
		library.ErrOwnAccount.Code:   "You cannot remove yourself. Another admin can.",
		library.ErrSelf.Code:         "You cannot switch off yourself. Another admin can.",
		library.ErrLastAdmin.Code:    name + " is the only admin. Give the role to somebody else first.",
		library.ErrOutdated.Code:     "Somebody else has changed " + name + " in the meantime, so nothing was done. 'library users show " + u.Identifier + "' shows the user as it is now.",
		library.ErrUserNotFound.Code: name + " is no longer a user; the record has been removed.",
	})
}
