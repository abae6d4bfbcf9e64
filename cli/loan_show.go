package cli

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

func newLoanShow(a *app) *cobra.Command {
	scope := &lendingScope{}
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
	}
	scope.userFlag(a, cmd, "loans")
	a.jsonFlag(cmd, "the whole record")
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := scope.find(ctx, a, c)
		if err != nil {
			return err
		}
		finder := a.loanFinder(ctx, c, user)
		finder.near = func(ctx context.Context, _ string) iter.Seq2[api.Loan, error] { return loansOfAllTimes(ctx, c, user) }
		l, err := finder.find(ctx, args[0])
		if err != nil {
			return err
		}
		if a.json {
			return a.printJSON(l)
		}
		return a.showLoan(ctx, newCalendar(c), l)
	})
	cmd.ValidArgsFunction = a.completeLoans(oneArgument)
	return cmd
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
func (a *app) showLoan(ctx context.Context, k *calendar, l api.Loan) error {
	if !a.term.Interactive() {
		return a.printFields([]fact{
			{"identifier", l.Identifier}, {"title", l.Book.Title}, {"authors", strings.Join(l.Book.Authors, "; ")}, {"book", l.Book.Identifier},
			{"reader", nameOf(l.User)}, {"barcode", barcodeOf(l.Copy)}, {"borrowedAt", l.BorrowedAt}, {"dueAt", l.DueAt}, {"returnedAt", l.ReturnedAt},
			{"due", k.loanDue(ctx, l)}, {"renewals", fmt.Sprint(l.Renewals)}, {"renewable", fmt.Sprint(l.Renewable)},
			{"renewableFrom", l.RenewableFrom},
		})
	}
	due := neverDue
	if l.DueAt != "" {
		due = k.dueAndDay(ctx, l.DueAt)
	}
	facts := []fact{{"Reader", nameOf(l.User)}, {"Borrowed", k.day(ctx, l.BorrowedAt)}}
	if l.ReturnedAt != "" {
		facts = append(facts, fact{"Returned", k.day(ctx, l.ReturnedAt)})
	} else {
		facts = append(facts, fact{"Due", due}, fact{"Renewed", k.renewed(ctx, l)})
	}
	return a.printSheet(l.Book.Title, l.Book.Authors, append(facts, fact{"Barcode", barcodeOf(l.Copy)}, fact{"Identifier", l.Identifier}))
}

// renewed says how often a loan was renewed, and whether or from when it can be.
func (k *calendar) renewed(ctx context.Context, l api.Loan) string {
	can := "can be renewed"
	switch {
	case l.RenewableFrom != "":
		can += " from " + k.day(ctx, l.RenewableFrom) + " on"
	case !l.Renewable:
		can = "cannot be renewed now"
	}
	switch l.Renewals {
	case 0:
		return "not yet; " + can
	case 1:
		return "once; " + can
	}
	return quantity(l.Renewals, "time") + "; " + can
}
