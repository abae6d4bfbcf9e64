package loans

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

// listOptions is what `library loans list` is asked for.
type listOptions struct {
	records.Scope
	overdue, returned bool
	limit             int
}

func newList(a *command.App) *cobra.Command {
	o := &listOptions{}
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List loans",
		Long: `List loans: what is lent now, the earliest due date first, or with --returned
what came back, the latest first. Readers see their own loans, curators and
admins everybody's.

In a pipe there is one line for each loan, with tabs between identifier, title,
reader, barcode, the day on which it is due or came back, and that in words.`,
		Example: `  library loans list
  library loans list --overdue
  library loans list --user "Bruce Wayne" --returned
  library loans list --book "Clean Code" --json`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return o.check(cmd) },
	}
	o.Flags(a, cmd, "loans")
	cmd.Flags().BoolVarP(&o.overdue, "overdue", "o", false, "only loans that are overdue")
	cmd.Flags().BoolVarP(&o.returned, "returned", "r", false, "list loans that have ended instead")
	command.LimitFlag(cmd, &o.limit)
	a.JSONFlag(cmd, "whole records")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error { return o.run(ctx, a, c) })
}

func (o *listOptions) check(cmd *cobra.Command) error {
	problems := command.CheckLimit(cmd, o.limit)
	if o.overdue && o.returned {
		problems.Add("--overdue", "cannot go with --returned: what came back is not overdue any more")
	}
	return problems.In(cmd)
}

func (o *listOptions) run(ctx context.Context, a *command.App, c *client.Client) error {
	user, book, err := o.Find(ctx, a, c)
	if err != nil {
		return err
	}
	query := client.LoanQuery{User: user, Book: book}
	switch {
	case o.overdue:
		query.State = api.LoansOverdue
	case o.returned:
		query.State = api.LoansReturned
	}
	show := func(loans iter.Seq2[api.Loan, error]) error { return showLoans(ctx, a.Term, c, loans) }
	return command.List(a, c.LoanPages(ctx, query, a.LimitOf(o.limit)), show, "loans", o.none())
}

// none says that there are no such loans.
func (o *listOptions) none() string {
	switch {
	case o.overdue:
		return "Nothing is overdue."
	case o.returned:
		return "No loan has ended."
	}
	return "Nothing is lent at the moment."
}
