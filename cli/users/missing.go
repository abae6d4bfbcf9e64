package users

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// deactivateMissing switches off those of the same role as the listed who are not listed,
// after showing them and asking.
func deactivateMissing(ctx context.Context, a *command.App, c *client.Client, listed *listed, o importOptions) error {
	if listed.isEmpty() {
		a.Message("Nobody is in the file, so nobody is switched off.")
		return nil
	}
	missing, err := findMissing(ctx, c, listed)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		a.Message("Everybody of the same role is in the file.")
		return nil
	}
	if err := tableUsers(a.Screen(), missing); err != nil {
		return err
	}
	who := command.Thousands(len(missing)) + " people"
	if len(missing) == 1 {
		who = command.FullName(missing[0])
	}
	if o.DryRun {
		a.Message("Not in the file, and would be switched off: %s.", who)
		return nil
	}
	if err := a.Confirm(ctx, o.yes, fmt.Sprintf("Switch off %s who %s not in the file?", who, plural(len(missing), "is", "are")), "Nobody was switched off."); err != nil {
		return err
	}
	off, err := change(ctx, a, c, missing, func(u api.User) api.RowUser { return api.RowUser{Email: u.Email, Active: new(false)} }, "Not everybody could be switched off.")
	a.Message("Switched off %s of %s.", command.Thousands(off), command.Thousands(len(missing)))
	return err
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// listed is who is in a file.
type listed struct {
	forNew []string        // the roles of those who are added and whose row names none
	ids    map[string]bool // of those whom the library has
	roles  map[string]bool // the highest of each who would be added
}

func newListed(forNew []string) *listed {
	return &listed{forNew, map[string]bool{}, map[string]bool{}}
}

// add notes what became of a row. Who would be added has no identifier yet.
func (l *listed) add(row client.EncodedRow, r api.ImportResult) {
	if r.Identifier != "" {
		l.ids[r.Identifier] = true
		return
	}
	var u api.RowUser
	if r.Outcome != client.Added || json.Unmarshal(row, &u) != nil {
		return
	}
	if len(u.Roles) == 0 {
		u.Roles = l.forNew
	}
	l.roles[highestRole(u.Roles)] = true
}

func (l *listed) isEmpty() bool { return len(l.ids)+len(l.roles) == 0 }

// findMissing are the active people who are not listed and have the highest role of
// somebody who is. The caller, and programs, are never missing.
func findMissing(ctx context.Context, c *client.Client, listed *listed) (missing []api.User, _ error) {
	me, err := c.Me(ctx)
	if err != nil {
		return nil, err
	}
	all, err := command.Collect(c.AllUsers(ctx, client.UserQuery{}))
	if err != nil {
		return nil, err
	}
	roles := maps.Clone(listed.roles)
	for _, u := range all {
		if listed.ids[u.Identifier] {
			roles[highestRole(u.Roles)] = true
		}
	}
	for _, u := range all {
		isProgram := strings.HasPrefix(u.Email, library.ServiceAddress)
		if u.Active && !listed.ids[u.Identifier] && roles[highestRole(u.Roles)] && u.Identifier != me.Identifier && !isProgram {
			missing = append(missing, u)
		}
	}
	return missing, nil
}

// highestRole is the last of some roles, "" for none. Who looks after the
// library has other roles beside that of a reader, and is not on the list of readers.
func highestRole(roles []string) (highest string) {
	for _, role := range library.Roles {
		for _, has := range roles {
			if has == string(role) {
				highest = has
			}
		}
	}
	return highest
}
