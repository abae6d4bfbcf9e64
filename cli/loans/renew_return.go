package loans

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newRenew(a *command.App) *cobra.Command {
	return newChange(a, &cobra.Command{
		Use:   "renew LOAN...",
		Short: "Renew loans",
		Long: `Renew loans, so that they are due later. The rules of the library say how often that
can be done. Readers renew their own loans, curators everybody's.`,
		Example: `  library loans renew "Clean Code"
  library loans renew 978-0-13-110362-7 5e8f3a21
  library loans renew "Clean Code" --user "Bruce Wayne"`,
	}, "renewed", (*client.Client).Renew, func(ctx context.Context, k *records.Calendar, l api.Loan) string {
		if l.DueAt == "" {
			return command.Quote(l.Book.Title) + " has no due date."
		}
		return command.Quote(l.Book.Title) + " is " + k.IsDue(ctx, l.DueAt) + " now."
	})
}

func newReturn(a *command.App) *cobra.Command {
	return newChange(a, &cobra.Command{
		Use:   "return LOAN...",
		Short: "Return loans",
		Long: `Return loans. Readers return their own, curators those of all readers. For
curators the answer says whether to set the copy aside for somebody who waits for
it. For a pile of books and a scanner use 'library desk return'.`,
		Example: `  library loans return "Clean Code"
  library loans return 5e8f3a21 81c0de99
  library loans return "Clean Code" --user "Bruce Wayne"`,
	}, "returned", (*client.Client).ReturnLoan, func(ctx context.Context, k *records.Calendar, l api.Loan) string {
		text := command.Quote(l.Book.Title) + " is returned."
		if l.Hold != nil {
			text += " " + records.SetAside(ctx, k, *l.Hold) + "."
		}
		return text
	})
}

// newChange makes a command that does something with loans.
func newChange(a *command.App, cmd *cobra.Command, done string,
	do func(*client.Client, context.Context, string) (api.Loan, error),
	say func(context.Context, *records.Calendar, api.Loan) string) *cobra.Command {
	scope := &records.Scope{}
	scope.UserFlag(a, cmd, "loans")
	a.JSONFlag(cmd, "the loans as they are then, in an array,")
	cmd.ValidArgsFunction = completeLoans(a, command.AnyNumber)
	return records.Change[api.Loan]{
		Scope: scope, Failure: "loans could not be " + done, Finder: loanFinder, Explain: explainLoan, Say: say,
		Do: func(ctx context.Context, c *client.Client, l api.Loan) (api.Loan, error) {
			return do(c, ctx, l.Identifier)
		},
	}.Command(a, cmd)
}
