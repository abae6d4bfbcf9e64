package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

// loanList is what `library loans list` is asked for.
type loanList struct {
	lendingScope
	overdue, returned bool
	limit             int
}

func newLoanList(a *app) *cobra.Command {
	o := &loanList{}
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
	o.flags(a, cmd, "loans")
	cmd.Flags().BoolVarP(&o.overdue, "overdue", "o", false, "only loans that are overdue")
	cmd.Flags().BoolVarP(&o.returned, "returned", "r", false, "list loans that have ended instead")
	limitFlag(cmd, &o.limit)
	a.jsonFlag(cmd, "whole records")
	return a.remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error { return o.run(ctx, a, c) })
}

func (o *loanList) check(cmd *cobra.Command) error {
	problems := checkLimit(cmd, o.limit)
	if o.overdue && o.returned {
		problems.Add("--overdue", "cannot go with --returned: what came back is not overdue any more")
	}
	return problems.In(cmd)
}

func (o *loanList) run(ctx context.Context, a *app, c *client.Client) error {
	user, book, err := o.find(ctx, a, c)
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
	var read listed
	loans := counted(&read, c.LoanPages(ctx, query, a.limitOf(o.limit)))
	if a.json {
		err = printArray(a, loans)
	} else {
		err = showLoans(ctx, a.term, c, loans)
	}
	if err != nil {
		return err
	}
	if read.total == 0 {
		a.say("%s", o.none())
	}
	a.sayRest(read, "loans")
	return nil
}

// none says that there are no such loans.
func (o *loanList) none() string {
	switch {
	case o.overdue:
		return "Nothing is overdue."
	case o.returned:
		return "No loan has ended."
	}
	return "Nothing is lent at the moment."
}
