package users

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/bulk"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// deactivateMissing switches off unlisted people of the same role as the listed ones, after
// showing them and asking.
func deactivateMissing(ctx context.Context, a *command.App, c *client.Client, listed *listed, everybody []api.User, o importOptions) error {
	if len(listed.ids)+len(listed.roles) == 0 {
		a.Message("Nobody is in the file, so nobody is switched off.")
		return nil
	}
	missing, err := findMissing(ctx, c, listed, everybody)
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
	who := numberOf(missing)
	if o.DryRun {
		a.Message("Not in the file, and would be switched off: %s.", who)
		return nil
	}
	if err := confirmMissing(ctx, a, o.yes, missing, everybody); err != nil {
		return err
	}
	off, err := change(ctx, a, c, missing, func(u api.User) api.RowUser { return api.RowUser{Email: u.Email, Active: new(false)} }, "Not everybody could be switched off.")
	a.Message("Switched off %s of %s. To undo it, import a file that has them with --update.", command.Thousands(off), command.Thousands(len(missing)))
	return err
}

// numberOf returns the number of people in words, or the name of the only one.
func numberOf(these []api.User) string {
	if len(these) == 1 {
		return command.FullName(these[0])
	}
	return command.Count(len(these), "person", "people")
}

// confirmMissing asks before people are switched off. If they are more than half of all active
// people, the file is likely to be a wrong one: then the number has to be typed.
func confirmMissing(ctx context.Context, a *command.App, yes bool, missing, everybody []api.User) error {
	const nobody = "Nobody was switched off."
	active := 0
	for _, u := range everybody {
		if u.Active {
			active++
		}
	}
	who, n := numberOf(missing), len(missing)
	if 2*n <= active {
		return a.Confirm(ctx, yes, fmt.Sprintf("Switch off %s who %s not in the file?", who, plural(n, "is", "are")), nobody)
	}
	a.Message("More than half of all active people are not in the file: %s of %s.", command.Thousands(n), command.Thousands(active))
	return a.ConfirmNumber(ctx, n, fmt.Sprintf("Type %d to switch off %s: ", n, who), nobody+" If that is right, type the number; --yes does not answer this question.")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// listed has the people in a file.
type listed struct {
	forNew  []string          // the roles for people without any, in their row or the library
	ids     map[string]string // the outcome of the row of each person in the library
	roles   map[string]bool   // the highest role of each person yet to be added
	bare    int               // how many would be added without a role
	leftOut int               // how many have left and are unknown to the library
}

// add notes the outcome of a row. A person yet to be added has no identifier.
func (l *listed) add(row client.EncodedRow, r api.ImportResult) {
	if bulk.IsLeftOut(r) {
		l.leftOut++
	}
	if r.Identifier != "" {
		l.ids[r.Identifier] = r.Outcome
		return
	}
	var u api.RowUser
	if r.Outcome != client.Added || json.Unmarshal(row, &u) != nil {
		return
	}
	if len(u.Roles) == 0 {
		u.Roles = l.forNew
	}
	if len(u.Roles) == 0 && (u.Active == nil || *u.Active) {
		l.bare++
	}
	l.roles[highestRole(u.Roles)] = true
}

// findMissing returns the active, unlisted people with the same highest role as somebody
// listed. The caller, programs and stations are never missing.
func findMissing(ctx context.Context, c *client.Client, listed *listed, all []api.User) (missing []api.User, _ error) {
	me, err := c.Me(ctx)
	if err != nil {
		return nil, err
	}
	roles := maps.Clone(listed.roles)
	for _, u := range all {
		if listed.ids[u.Identifier] != "" {
			roles[highestRole(u.Roles)] = true
		}
	}
	for _, u := range all {
		isProgram := strings.HasPrefix(u.Email, library.ServiceAddress)
		if u.Active && !u.Station && listed.ids[u.Identifier] == "" && roles[highestRole(u.Roles)] && u.Identifier != me.Identifier && !isProgram {
			missing = append(missing, u)
		}
	}
	return missing, nil
}

// highestRole returns the highest of some roles, "" for none. Staff of the library have
// other roles beside a reader's, and are not on the list of readers.
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

// inactive returns the users switched off before an import, if it may switch people on.
func inactive(ctx context.Context, c *client.Client, o importOptions) (map[string]bool, error) {
	off := map[string]bool{}
	if !o.Update {
		return off, nil
	}
	for u, err := range c.AllUsers(ctx, client.UserQuery{}) {
		if err != nil {
			return nil, err
		}
		off[u.Identifier] = !u.Active
	}
	return off, nil
}

// afterImport reports the effects of an import beside its rows. If asked to, and no row failed, it
// switches off missing people.
func afterImport(ctx context.Context, a *command.App, c *client.Client, listed *listed, off map[string]bool, o importOptions, isClean bool) error {
	if n := listed.leftOut; n > 0 {
		a.Message("Left out because they have left and the library does not have them: %s.", command.Count(n, "person", "people"))
	}
	everybody, err := command.Collect(c.AllUsers(ctx, client.UserQuery{}))
	if err != nil {
		return err
	}
	sayActivated(a, listed, everybody, off, o.DryRun)
	if err := warnOfNoRole(ctx, a, c, listed, everybody, o); err != nil {
		return err
	}
	if o.deactivateMissing && isClean {
		return deactivateMissing(ctx, a, c, listed, everybody, o)
	}
	return nil
}

// sayActivated says how many people are switched on again because the file has them.
func sayActivated(a *command.App, listed *listed, everybody []api.User, off map[string]bool, dryRun bool) {
	n := 0
	for _, u := range everybody {
		if off[u.Identifier] && listed.ids[u.Identifier] == client.Updated && (u.Active || dryRun) {
			n++
		}
	}
	switch {
	case n > 0 && dryRun:
		a.Message("In the file, and would be switched on again: %s.", command.Count(n, "person", "people"))
	case n > 0:
		a.Message("Switched on again: %s.", command.Count(n, "person", "people"))
	}
}

// warnOfNoRole says how many people of the file cannot borrow because they have no role, where
// the library takes roles from its own records.
func warnOfNoRole(ctx context.Context, a *command.App, c *client.Client, listed *listed, everybody []api.User, o importOptions) error {
	me, err := c.Me(ctx)
	if err != nil || me.RolesFrom == api.RolesFromToken {
		return err
	}
	n := listed.bare
	for _, u := range everybody {
		isMended := o.DryRun && o.Update && len(listed.forNew) > 0
		if listed.ids[u.Identifier] != "" && u.Active && len(u.Roles) == 0 && !isMended {
			n++
		}
	}
	if n > 0 {
		a.Message("Warning: %s of the file %s no role and cannot borrow. Import the file with --update --role reader to give it to them.", command.Count(n, "person", "people"), plural(n, "has", "have"))
	}
	return nil
}
