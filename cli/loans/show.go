package loans

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
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

// loansOfAllTimes reads the open loans and then the ended ones.
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
			{"renewableFrom", l.RenewableFrom}, {"rule", l.Rule},
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
	if l.Rule != "" {
		facts = append(facts, command.Fact{"Rule", l.Rule})
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

func newCalendar(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "calendar",
		Aliases: []string{"ics"},
		Short:   "Print your due days as a file for your calendar",
		Long: `Print the days on which your loans are due as a file for calendar programs
(iCalendar), with an event for each loan. When you have renewed something, import
a new file: the events that you have move to the new days.`,
		Example: `  library loans calendar > due.ics`,
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		file, err := c.Calendar(ctx)
		if err != nil {
			return err
		}
		text := string(file)
		if a.Term.Interactive() {
			text = terminal.CleanText(text)
		}
		_, err = io.WriteString(a.Term.Out, text)
		return err
	})
}
