package users

import (
	"context"
	"fmt"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// deactivateMissing switches off those of the same role as the listed who are not listed,
// after showing them and asking.
func deactivateMissing(ctx context.Context, a *command.App, c *client.Client, listed map[string]bool, o importOptions) error {
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

// findMissing are the active people who are not listed and have the highest role of
// somebody who is. The caller, and programs, are never missing.
func findMissing(ctx context.Context, c *client.Client, listed map[string]bool) (missing []api.User, _ error) {
	me, err := c.Me(ctx)
	if err != nil {
		return nil, err
	}
	all, err := command.Collect(c.AllUsers(ctx, client.UserQuery{}))
	if err != nil {
		return nil, err
	}
	roles := map[string]bool{}
	for _, u := range all {
		if listed[u.Identifier] {
			roles[highestRole(u)] = true
		}
	}
	for _, u := range all {
		isProgram := strings.HasPrefix(u.Email, library.ServiceAddress)
		if u.Active && !listed[u.Identifier] && roles[highestRole(u)] && u.Identifier != me.Identifier && !isProgram {
			missing = append(missing, u)
		}
	}
	return missing, nil
}

// highestRole is the last of the roles that a user has, "" for none. Who looks after the
// library has other roles beside that of a reader, and is not on the list of readers.
func highestRole(u api.User) (highest string) {
	for _, role := range library.Roles {
		for _, has := range u.Roles {
			if has == string(role) {
				highest = has
			}
		}
	}
	return highest
}
