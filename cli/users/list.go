package users

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
)

func newList(a *command.App) *cobra.Command {
	search, group, limit := "", "", 0
	cmd := &cobra.Command{
		Use:        "list",
		Aliases:    []string{"ls"},
		SuggestFor: []string{"search", "find"},
		Short:      "List users",
		Long: `List users, ordered by last name.

In a pipe there is one line for each user, with tabs between identifier, name,
e-mail address and roles. If somebody in the list has a group or is switched off,
every line ends with the group and 'active' or 'inactive'.`,
		Example: `  library users list
  library users list --search bruce
  library users list --group 7b
  library users list --limit 0 --json`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return command.CheckLimit(cmd, limit).In(cmd) },
	}
	cmd.Flags().StringVarP(&search, "search", "s", "", "only users with words that begin with these, in name or e-mail address")
	cmd.Flags().StringVar(&group, "group", "", "only users of this class or department")
	command.LimitFlag(cmd, &limit)
	a.JSONFlag(cmd, "whole records")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		show := func(users iter.Seq2[api.User, error]) error {
			all, err := command.Collect(users)
			if err != nil {
				return err
			}
			return tableUsers(a.Term, all)
		}
		return command.List(a, c.UserPages(ctx, client.UserQuery{Words: search, Group: group}, a.LimitOf(limit)), show, "users", "No user matches.")
	})
}
