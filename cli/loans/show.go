package loans

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newShow(a *command.App) *cobra.Command {
	scope := &records.Scope{}
	cmd := &cobra.Command{
		Use:     "show LOAN",
		Aliases: []string{"view"},
		Short:   "Show a loan",
		Long: `Show a loan: until when it is, and whether it can be renewed. A loan that has
ended is named by its identifier.

In a pipe there is one line for each field: its name, a tab and its value.`,
		Example: `  library loans show "Clean Code"
  library loans show "Clean Code" --user "Bruce Wayne"
  library loans show 5e8f3a21 --json`,
		ValidArgsFunction: completeLoans(a, command.OneArgument),
	}
	scope.UserFlag(a, cmd, "loans")
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.Find(ctx, a, c)
		if err != nil {
			return err
		}
		finder := loanFinder(ctx, a, c, user)
		finder.Near = func(ctx context.Context, _ string) iter.Seq2[api.Loan, error] { return loansOfAllTimes(ctx, c, user) }
		l, err := finder.Find(ctx, args[0])
		if err != nil {
			return err
		}
		return a.Print(l, func() error { return showLoan(ctx, a, records.NewCalendar(c), l) })
	})
}

// loansOfAllTimes are the open loans and then those that have ended.
func loansOfAllTimes(ctx context.Context, c *client.Client, userID string) iter.Seq2[api.Loan, error] {
	return func(yield func(api.Loan, error) bool) {
		for _, state := range []string{api.LoansOpen, api.LoansReturned} {
			for l, err := range c.AllLoans(ctx, client.LoanQuery{State: state, User: userID}) {
				if !yield(l, err) || err != nil {
					return
				}
			}
		}
	}
}

// showLoan shows a loan as a sheet, and as lines for programs in a pipe.
func showLoan(ctx context.Context, a *command.App, k *records.Calendar, l api.Loan) error {
	if !a.Term.Interactive() {
		return a.PrintFields([]command.Fact{
			{"identifier", l.Identifier}, {"title", l.Book.Title}, {"authors", strings.Join(l.Book.Authors, "; ")}, {"book", l.Book.Identifier},
			{"reader", records.NameOf(l.User)}, {"barcode", barcodeOf(l.Copy)}, {"borrowedAt", l.BorrowedAt}, {"dueAt", l.DueAt}, {"returnedAt", l.ReturnedAt},
			{"due", loanDue(ctx, k, l)}, {"renewals", fmt.Sprint(l.Renewals)}, {"renewable", fmt.Sprint(l.Renewable)},
			{"renewableFrom", l.RenewableFrom},
		})
	}
	due := neverDue
	if l.DueAt != "" {
		due = k.DueAndDay(ctx, l.DueAt)
	}
	facts := []command.Fact{{"Reader", records.NameOf(l.User)}, {"Borrowed", k.Day(ctx, l.BorrowedAt)}}
	if l.ReturnedAt != "" {
		facts = append(facts, command.Fact{"Returned", k.Day(ctx, l.ReturnedAt)})
	} else {
		facts = append(facts, command.Fact{"Due", due}, command.Fact{"Renewed", renewed(ctx, k, l)})
	}
	return a.PrintSheet(l.Book.Title, l.Book.Authors, append(facts, command.Fact{"Barcode", barcodeOf(l.Copy)}, command.Fact{"Identifier", l.Identifier}))
}

// renewed says how often a loan was renewed, and whether or from when it can be.
func renewed(ctx context.Context, k *records.Calendar, l api.Loan) string {
	can := "can be renewed"
	switch {
	case l.RenewableFrom != "":
		can += " from " + k.Day(ctx, l.RenewableFrom) + " on"
	case !l.Renewable:
		can = "cannot be renewed now"
	}
	switch l.Renewals {
	case 0:
		return "not yet; " + can
	case 1:
		return "once; " + can
	}
	return command.Quantity(l.Renewals, "time") + "; " + can
}
