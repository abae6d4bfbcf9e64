package loans

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newList(a *command.App) *cobra.Command {
	var cmd *cobra.Command
	group, byGroup := "", false
	list := records.List[api.Loan]{
		Nouns: "loans", None: "Nothing is lent at the moment.",
		Filters: [2]records.Filter{
			{Flag: "overdue", Letter: "o", Usage: "only loans that are overdue", State: api.LoansOverdue, None: "Nothing is overdue."},
			{Flag: "returned", Letter: "r", Usage: "list loans that have ended instead", State: api.LoansReturned, None: "No loan has ended."},
		},
		Conflict: "cannot go with --returned: what came back is not overdue any more",
		Flags:    func(cmd *cobra.Command) { groupFlags(cmd, &group, &byGroup) },
		Pages: func(ctx context.Context, c *client.Client, q records.ListQuery) iter.Seq2[client.Page[api.Loan], error] {
			if byGroup && !cmd.Flags().Changed("limit") {
				q.Limit = 0 // no page is to lack somebody
			}
			return c.LoanPages(ctx, client.LoanQuery{State: q.State, User: q.User, Book: q.Book, Group: group}, q.Limit)
		},
		Show: func(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
			return chooseShow(byGroup)(ctx, t, c, loans)
		},
	}
	cmd = &cobra.Command{
		Short: "List loans",
		Long: `List loans: what is lent now, the earliest due date first, or with --returned
what came back, the latest first. Readers see their own loans, curators and
admins everybody's.

In a pipe there is one line for each loan, with tabs between identifier, title,
reader, barcode, the day on which it is due or came back, and that in words.

With --by-group there is a table for each class or department, on a screen and on
paper: in a pipe a new page begins with each of them.`,
		Example: `  library loans list
  library loans list --overdue
  library loans list --overdue --group 7b
  library loans list --overdue --by-group | lp
  library loans list --user "Bruce Wayne" --returned
  library loans list --book "Clean Code" --json`,
	}
	return list.Command(a, cmd)
}
