package loans

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newClaim(a *command.App) *cobra.Command {
	undo := false
	cmd := &cobra.Command{
		Use:   "claim LOAN...",
		Short: "Record that readers say to have brought copies back",
		Long: `Record that readers say to have brought copies back. This is for curators. The
loans stay open until the copies are found, but are not overdue, and nobody is
reminded of them. 'library loans list --claimed' shows them.`,
		Example: `  library loans claim "Clean Code" --user "Bruce Wayne"
  library loans claim 5e8f3a21 --undo`,
	}
	change := newChange(a, cmd, "claimed", (*client.Client).ClaimLoan, func(_ context.Context, _ *records.Calendar, l api.Loan) string {
		if undo {
			return "The claim about " + command.Quote(l.Book.Title) + " is taken back."
		}
		return command.Quote(l.Book.Title) + " is said to be back. Look for it on its shelf."
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "take the claims back")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		if undo {
			change.Do = func(ctx context.Context, c *client.Client, l api.Loan) (api.Loan, error) {
				if err := c.UnclaimLoan(ctx, l.Identifier); err != nil {
					return l, err
				}
				return c.Loan(ctx, l.Identifier)
			}
		}
		return change.Run(ctx, a, c, args)
	})
}

func newLost(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lost LOAN...",
		Short: "End loans of lost copies",
		Long: `End loans of lost copies. This is for curators. The copies become lost and are not
lent any more; 'library copies edit' with --state lendable puts a found one back.`,
		Example: `  library loans lost "Clean Code" --user "Bruce Wayne"`,
	}
	return newChange(a, cmd, "ended", (*client.Client).LoseLoan, func(_ context.Context, _ *records.Calendar, l api.Loan) string {
		return "The loan of " + command.Quote(l.Book.Title) + " has ended, and its copy is lost."
	}).Command(a, cmd)
}
