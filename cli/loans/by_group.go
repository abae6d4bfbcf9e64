package loans

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func groupFlags(cmd *cobra.Command, group *string, byGroup *bool) {
	cmd.Flags().StringVar(group, "group", "", "only loans of people of this class or department")
	cmd.Flags().BoolVar(byGroup, "by-group", false, "a table for each class or department, each on a page of its own when printed")
}

// chooseShow is how a list of loans is shown.
func chooseShow(byGroup bool) func(context.Context, *terminal.Terminal, *client.Client, iter.Seq2[api.Loan, error]) error {
	if byGroup {
		return printByGroup
	}
	return showLoans
}

// formFeed begins a new page at a printer.
const formFeed = "\f"

// printByGroup prints a table of loans for each group, those of people without one last.
func printByGroup(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
	all, err := command.Collect(loans)
	if err != nil {
		return err
	}
	between, k := "\n", records.NewCalendar(c)
	if !t.Interactive() {
		t, between = t.Paper(), formFeed
	}
	slices.SortStableFunc(all, func(a, b api.Loan) int {
		return cmp.Or(records.CompareGroups(groupOf(a), groupOf(b)), cmp.Compare(readerKey(a), readerKey(b)))
	})
	for len(all) > 0 {
		group := groupOf(all[0])
		next := slices.IndexFunc(all, func(l api.Loan) bool { return records.CompareGroups(groupOf(l), group) != 0 })
		if next < 0 {
			next = len(all)
		}
		fmt.Fprintf(t.Out, "%s\n", t.Paint(terminal.Bold, cmp.Or(terminal.Clean(group), "Without a group")))
		last, rows := loanRows(ctx, k, all[:next])
		if err := records.PrintLendingOf(t, true, last, rows); err != nil {
			return err
		}
		if all = all[next:]; len(all) > 0 {
			fmt.Fprint(t.Out, between)
		}
	}
	return nil
}

func groupOf(l api.Loan) string {
	if l.User == nil {
		return ""
	}
	return l.User.Group
}

func readerKey(l api.Loan) string {
	if l.User == nil {
		return ""
	}
	return library.GroupKey(l.User.LastName + "\x00" + l.User.FirstName)
}
