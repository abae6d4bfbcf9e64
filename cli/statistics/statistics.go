// Package statistics is 'library statistics'.
package statistics

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

var intervals = []string{"day", "week", "month"}

// New makes 'library statistics'.
func New(a *command.App) *cobra.Command {
	var query client.StatisticsQuery
	cmd := &cobra.Command{
		Use:     "statistics",
		Aliases: []string{"stats"},
		Short:   "Show the library in numbers",
		Long: `Show the library in numbers: what is there and lent now, how much was lent and
returned in each month, what was borrowed most and what never was. Without flags
it is about the last twelve months. This is for curators and admins.

In a pipe there is one line for each number: its name, a tab and its value. Lines
that begin with period, mostBorrowed and neverBorrowed have more columns. With
--csv it is a table of the periods.`,
		Example: `  library statistics
  library statistics --by week --from 2026-09-01
  library statistics --json | jq '.mostBorrowed[].book.title'`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return checkStatistics(cmd, query) },
	}
	cmd.Flags().StringVar(&query.By, "by", "", "length of a period: day, week or month (default month)")
	cmd.Flags().StringVar(&query.From, "from", "", "first day, such as 2026-01-01")
	cmd.Flags().StringVar(&query.To, "to", "", "last day, such as 2026-12-31")
	command.CompleteFlag(cmd, "by", intervals...)
	a.JSONFlag(cmd, "all numbers")
	a.CSVFlag(cmd)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		if a.CSV {
			return a.PrintCSV(ctx, c, query)
		}
		numbers, err := c.Statistics(ctx, query)
		if err != nil {
			return err
		}
		switch {
		case a.JSON:
			return a.PrintJSON(numbers)
		case a.Term.Interactive():
			return showStatistics(a, numbers, query.By)
		}
		return listStatistics(a, numbers)
	})
}

func checkStatistics(cmd *cobra.Command, q client.StatisticsQuery) error {
	problems := command.CheckLimit(cmd, 0)
	problems.CheckChoice("--by", q.By, intervals)
	problems.CheckDate("--from", q.From)
	problems.CheckDate("--to", q.To)
	return problems.In(cmd)
}

func showStatistics(a *command.App, n api.Statistics, by string) error {
	if err := a.PrintFacts([]command.Fact{
		{"Books", command.Thousands(n.Books)}, {"Copies", command.Thousands(n.Copies)},
		{"On loan", command.Thousands(n.OpenLoans)}, {"Overdue", command.Thousands(n.OverdueLoans)},
		{"Waiting holds", command.Thousands(n.WaitingHolds)}, {"Holds to collect", command.Thousands(n.ReadyHolds)},
		{"Never borrowed", command.Quantity(n.NeverBorrowed.Count, "book")},
	}); err != nil {
		return err
	}
	periods := a.Term.NewTable(terminal.Column{Title: cmp.Or(by, "month") + " from"}, terminal.Column{Title: "lent"}, terminal.Column{Title: "returned"})
	for _, p := range n.Periods {
		periods.Row(p.From, command.Thousands(p.Loans), command.Thousands(p.Returns))
	}
	borrowed := a.Term.NewTable(terminal.Column{Title: "loans"}, terminal.Column{Title: "borrowed most", Give: 1, Style: terminal.Bold}, terminal.Column{Title: "authors", Give: 2})
	for _, b := range n.MostBorrowed {
		borrowed.Row(command.Thousands(b.Loans), b.Book.Title, strings.Join(b.Book.Authors, ", "))
	}
	never := a.Term.NewTable(terminal.Column{Title: "never borrowed", Give: 1, Style: terminal.Bold}, terminal.Column{Title: "authors", Give: 2})
	for _, b := range n.NeverBorrowed.Books {
		never.Row(b.Title, strings.Join(b.Authors, ", "))
	}
	for _, t := range []struct {
		table *terminal.Table
		rows  int
	}{{periods, len(n.Periods)}, {borrowed, len(n.MostBorrowed)}, {never, len(n.NeverBorrowed.Books)}} {
		if t.rows == 0 {
			continue
		}
		fmt.Fprintln(a.Term.Out)
		if err := t.table.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func listStatistics(a *command.App, n api.Statistics) error {
	rows := [][]string{
		{"books", strconv.Itoa(n.Books)}, {"copies", strconv.Itoa(n.Copies)},
		{"openLoans", strconv.Itoa(n.OpenLoans)}, {"overdueLoans", strconv.Itoa(n.OverdueLoans)},
		{"waitingHolds", strconv.Itoa(n.WaitingHolds)}, {"readyHolds", strconv.Itoa(n.ReadyHolds)},
		{"neverBorrowedCount", strconv.Itoa(n.NeverBorrowed.Count)},
	}
	for _, p := range n.Periods {
		rows = append(rows, []string{"period", p.From, strconv.Itoa(p.Loans), strconv.Itoa(p.Returns)})
	}
	for _, b := range n.MostBorrowed {
		rows = append(rows, []string{"mostBorrowed", b.Book.Identifier, b.Book.Title, strconv.Itoa(b.Loans)})
	}
	for _, b := range n.NeverBorrowed.Books {
		rows = append(rows, []string{"neverBorrowed", b.Identifier, b.Title})
	}
	return command.Lines(a.Term, command.Sequence(rows), func(row []string) []string { return row })
}
