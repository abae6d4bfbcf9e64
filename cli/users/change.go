package users

import (
	"context"
	"slices"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// change changes many users, with as few requests as possible, and returns how many. Row
// says what changes of one; otherwise is what the command fails with if some are refused.
func change(ctx context.Context, a *command.App, c *client.Client, users []api.User, row func(api.User) api.RowUser, otherwise string) (changed int, _ error) {
	var refused error
	for some := range slices.Chunk(users, client.MaxImport) {
		var rows []client.EncodedRow
		for _, u := range some {
			rows = append(rows, client.EncodeUser(row(u)))
		}
		results, err := c.ImportUsers(client.WithIdempotencyKey(ctx, client.NewIdempotencyKey()), rows, client.ImportOptions{Update: true})
		if err != nil {
			return changed, err
		}
		for i, r := range results {
			if r.Outcome == client.Updated || r.Outcome == client.Unchanged {
				changed++
				continue
			}
			a.Message("%s: %s", command.FullName(some[i]), terminal.Clean(r.Message))
			refused = command.Fail(command.ExitFailed, "%s", otherwise)
		}
	}
	return changed, refused
}

// byGroup is users group by group, those without one last, each in the order in which they
// were.
func byGroup(users []api.User) []api.User {
	return slices.SortedStableFunc(slices.Values(users), func(x, y api.User) int {
		return records.CompareGroups(x.Group, y.Group)
	})
}
