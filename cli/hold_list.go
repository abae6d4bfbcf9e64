package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

// holdList is what `library holds list` is asked for.
type holdList struct {
	lendingScope
	ready, ended bool
	limit        int
}

func newHoldList(a *app) *cobra.Command {
	o := &holdList{}
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
	o.flags(a, cmd, "holds")
	cmd.Flags().BoolVarP(&o.ready, "ready", "r", false, "only holds for which a copy is set aside")
	cmd.Flags().BoolVarP(&o.ended, "ended", "e", false, "list holds that are over instead: fulfilled, cancelled or expired")
	limitFlag(cmd, &o.limit)
	a.jsonFlag(cmd, "whole records")
	return a.remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error { return o.run(ctx, a, c) })
}

func (o *holdList) check(cmd *cobra.Command) error {
	problems := checkLimit(cmd, o.limit)
	if o.ready && o.ended {
		problems.Add("--ready", "cannot go with --ended")
	}
	return problems.In(cmd)
}

func (o *holdList) run(ctx context.Context, a *app, c *client.Client) error {
	user, book, err := o.find(ctx, a, c)
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
	var read listed
	holds := counted(&read, c.HoldPages(ctx, query, a.limitOf(o.limit)))
	if a.json {
		err = printArray(a, holds)
	} else {
		err = showHolds(ctx, a.term, c, holds)
	}
	if err != nil {
		return err
	}
	if read.total == 0 {
		a.say("%s", none)
	}
	a.sayRest(read, "holds")
	return nil
}
