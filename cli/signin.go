package cli

import (
	"slices"
	"strings"

	"example.org/library/terminal"
)

// wordsOfRoles are the roles as people call them, the least first.
var wordsOfRoles = []struct{ authority, word string }{
	{"ROLE_LIBRARY_USER", "reader"},
	{"ROLE_LIBRARY_CURATOR", "curator"},
	{"ROLE_LIBRARY_ADMIN", "admin"},
}

// rolesOf are the roles among authorities, in words.
func rolesOf(authorities []string) []string {
	roles := []string{}
	for _, role := range wordsOfRoles {
		if slices.Contains(authorities, role.authority) {
			roles = append(roles, role.word)
		}
	}
	return roles
}

// inWords joins roles to a phrase.
func inWords(roles []string) string {
	if len(roles) == 0 {
		return "without a role"
	}
	return strings.Join(roles, ", ")
}

// fact is a line that says one thing: its name and its value.
type fact [2]string

// printFacts prints facts: aligned for a person, tab-separated for a program.
func (a *app) printFacts(facts []fact) error {
	if !a.term.Interactive() {
		table := a.term.NewTable(terminal.Column{}, terminal.Column{})
		for _, f := range facts {
			table.Row(f[0], f[1])
		}
		return table.Flush()
	}
	width := 0
	for _, f := range facts {
		width = max(width, len(f[0]))
	}
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(a.term.Paint(terminal.Dim, f[0]+strings.Repeat(" ", width-len(f[0]))) + "  " + a.below(width+2, terminal.Clean(f[1])) + "\n")
	}
	_, err := a.term.Out.Write([]byte(b.String()))
	return err
}
