package holds

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

// listOptions is what `library holds list` is asked for.
type listOptions struct {
	records.Scope
	ready, ended bool
	limit        int
}

func newList(a *command.App) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List holds",
		Long: `List holds by book and place in the queue, or with --ended those that are over,
the latest first. Readers see their own holds, curators and admins everybody's.

In a pipe there is one line for each hold, with tabs between identifier, title,
reader, state, place in the queue, the day until which a copy is set aside, and,
for curators and admins, "fetched" if it was taken from its shelf.`,
		Example: `  library holds list
  library holds list --ready
  library holds list --book "Clean Code" --json
  library holds list --user "Bruce Wayne" --ended`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd) },
	}
	o.Flags(a, cmd, "holds")
	cmd.Flags().BoolVarP(&o.ready, "ready", "r", false, "only holds for which a copy is set aside")
	cmd.Flags().BoolVarP(&o.ended, "ended", "e", false, "list holds that are over instead: fulfilled, cancelled or expired")
	command.LimitFlag(cmd, &o.limit)
	a.JSONFlag(cmd, "whole records")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error { return o.run(ctx, a, c) })
}

func (o *listOptions) check(cmd *cobra.Command) error {
	problems := command.CheckLimit(cmd, o.limit)
	if o.ready && o.ended {
		problems.Add("--ready", "cannot go with --ended")
	}
	return problems.In(cmd)
}

func (o *listOptions) run(ctx context.Context, a *command.App, c *client.Client) error {
	user, book, err := o.Find(ctx, a, c)
	if err != nil {
		return err
	}
	query := client.HoldQuery{User: user, Book: book}
	none := "Nobody waits for a book at the moment."
	switch {
	case o.ready:
		query.State, none = api.HoldsReady, "No copy is set aside."
	case o.ended:
		query.State, none = api.HoldsEnded, "No hold has ended."
	}
	show := func(holds iter.Seq2[api.Hold, error]) error { return showHolds(ctx, a.Term, c, holds) }
	return command.List(a, c.HoldPages(ctx, query, a.LimitOf(o.limit)), show, "holds", none)
}
