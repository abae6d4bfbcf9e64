package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/client"
)

func newUserList(a *app) *cobra.Command {
	search, limit := "", 0
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List users",
		Long: `List users, ordered by last name.

In a pipe there is one line for each user, with tabs between identifier, name,
e-mail address and roles.`,
		Example: `  library users list
  library users list --search bruce
  library users list --limit 0 --json`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return checkLimit(cmd, limit).In(cmd) },
	}
	cmd.Flags().StringVarP(&search, "search", "s", "", "only users with words that begin with these, in name or e-mail address")
	limitFlag(cmd, &limit)
	a.jsonFlag(cmd, "whole records")
	return a.remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		return a.listUsers(ctx, c, search, limit)
	})
}

func (a *app) listUsers(ctx context.Context, c *client.Client, search string, limit int) error {
	var read listed
	users := counted(&read, c.UserPages(ctx, client.UserQuery{Words: search}, a.limitOf(limit)))
	if a.json {
		if err := printArray(a, users); err != nil {
			return err
		}
	} else {
		all, err := collect(users)
		if err != nil {
			return err
		}
		if err := tableUsers(a.term, all); err != nil {
			return err
		}
	}
	if read.total == 0 {
		a.say("No user matches.")
	}
	a.sayRest(read, "users")
	return nil
}
