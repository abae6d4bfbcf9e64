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

func newList(a *command.App) *cobra.Command {
	list := records.List[api.Loan]{
		Nouns: "loans", None: "Nothing is lent at the moment.",
		Filters: [2]records.Filter{
			{Flag: "overdue", Letter: "o", Usage: "only loans that are overdue", State: api.LoansOverdue, None: "Nothing is overdue."},
			{Flag: "returned", Letter: "r", Usage: "list loans that have ended instead", State: api.LoansReturned, None: "No loan has ended."},
		},
		Conflict: "cannot go with --returned: what came back is not overdue any more",
		Pages: func(ctx context.Context, c *client.Client, q records.ListQuery) iter.Seq2[client.Page[api.Loan], error] {
			return c.LoanPages(ctx, client.LoanQuery{State: q.State, User: q.User, Book: q.Book}, q.Limit)
		},
		Show: showLoans,
	}
	return list.Command(a, &cobra.Command{
		Short: "List loans",
		Long: `List loans: what is lent now, the earliest due date first, or with --returned
what came back, the latest first. Readers see their own loans, curators and
admins everybody's.

In a pipe there is one line for each loan, with tabs between identifier, title,
reader, barcode, the day on which it is due or came back, and that in words.`,
		Example: `  library loans list
  library loans list --overdue
  library loans list --user "Bruce Wayne" --returned
  library loans list --book "Clean Code" --json`,
	})
}
