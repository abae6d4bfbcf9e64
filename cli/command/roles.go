package command

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// RoleWords are the words of people for the roles.
var RoleWords = map[library.Role]string{
	library.RoleUser: "reader", library.RoleCurator: "curator", library.RoleAdmin: "admin",
}

// RoleChoices returns the words for all roles, in the order shown to people.
func RoleChoices() []string {
	words := make([]string, len(library.Roles))
	for i, r := range library.Roles {
		words[i] = RoleWords[r]
	}
	return words
}

// ParseRole returns the role with this word of people or this name of the service.
func ParseRole(word string) (library.Role, bool) {
	for role, name := range RoleWords {
		if strings.EqualFold(word, name) || strings.EqualFold(word, string(role)) {
			return role, true
		}
	}
	return "", false
}

// RolesOf returns the roles among authorities, in words.
func RolesOf(authorities []string) []string {
	roles := []string{}
	for _, role := range library.Roles {
		if slices.Contains(authorities, role.Authority()) {
			roles = append(roles, RoleWords[role])
		}
	}
	return roles
}

// JoinRoles joins roles to a phrase.
func JoinRoles(roles []string) string {
	if len(roles) == 0 {
		return "without a role"
	}
	return strings.Join(roles, ", ")
}

// RolesFrom returns the source of roles in words, "" if the library does not name it.
func RolesFrom(me api.Me) string {
	switch me.RolesFrom {
	case api.RolesFromToken:
		return "the token of the identity provider"
	case api.RolesFromRecord:
		return "the records of the library"
	}
	return ""
}

// SendsMail reports whether the library sends mails. Where it sends none, reminders are not shown.
func SendsMail(ctx context.Context, c *client.Client) bool {
	me, err := c.Me(ctx)
	return err != nil || me.Mail
}

// explainRole names the person, the role they lack, and the way to get it.
func explainRole(ctx context.Context, c *client.Client, role string) string {
	who := "You are"
	me, err := c.Me(ctx)
	if err == nil {
		who = "You are signed in as " + FullName(me.User) + ", who is"
	}
	name := terminal.Clean(role)
	if known, is := ParseRole(role); is {
		name = withArticle(RoleWords[known])
	}
	text := who + " not " + name + ".\n"
	if me.RolesFrom == api.RolesFromRecord {
		return text + "An admin of the library can change that: '" + GiveRole(me.User, role) + "'. You need not sign in again."
	}
	return text + "The identity provider has to give you the role " + strings.ToUpper(terminal.Clean(role)) + "; sign in again afterwards."
}

// NotA returns the refusal of the service for a person without a role. It is for a command
// that checks the role before it begins.
func NotA(role library.Role) error {
	return &client.Error{Status: http.StatusForbidden, Role: string(role)}
}

// withArticle returns a word with its article: "a reader", "an admin".
func withArticle(word string) string {
	if strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

// GiveRole returns the command that gives a user one more role.
func GiveRole(u api.User, role string) string {
	command := "library users edit " + terminal.Clean(u.Email)
	for _, name := range append(slices.Clone(u.Roles), role) {
		if known, is := ParseRole(name); is {
			command += " --role " + RoleWords[known]
		}
	}
	return command
}
