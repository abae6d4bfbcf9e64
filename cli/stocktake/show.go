package stocktake

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
	"example.org/library/terminal"
)

type iterOf[T any] = iter.Seq2[T, error]

// outcomes are the lists of a stocktake, in words.
var outcomes = []struct{ name, words string }{
	{api.OutcomeFound, "found"},
	{api.OutcomeElsewhere, "of other shelves"},
	{api.OutcomeLent, "lent by the records"},
	{api.OutcomeSetAside, "set aside"},
	{api.OutcomeNotExpected, "not expected"},
	{api.OutcomeWasMissing, "missing before"},
	{api.OutcomeUnknown, "unknown"},
}

func listed() []string {
	all := []string{api.OutcomeRemaining, api.OutcomeAway}
	for _, o := range outcomes {
		all = append(all, o.name)
	}
	return all
}

func newShow(a *command.App) *cobra.Command {
	outcome := ""
	cmd := &cobra.Command{
		Use:   "show [STOCKTAKE]",
		Short: "Show how far a stocktake is, or its copies",
		Long: `Show how far a stocktake is. With --outcome it lists copies by shelf, such as those
that remain; in a pipe there is one line for each, with tabs between identifier,
barcode, shelf, title and state (of unknown codes: the code).`,
		Example: `  library stocktake show
  library stocktake show Novels --outcome remaining
  library stocktake show Novels --outcome remaining --csv > remaining.csv`,
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	cmd.Flags().StringVar(&outcome, "outcome", "", "list these: "+strings.Join(listed(), ", "))
	command.CompleteFlag(cmd, "outcome", listed()...)
	a.JSONFlag(cmd, "whole records")
	a.CSVFlag(cmd)
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := command.CheckCSV(cmd)
		problems.CheckChoice("--outcome", outcome, listed())
		if a.CSV && outcome == "" {
			problems.Add("--csv", "prints a list; say which with --outcome")
		}
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		s, err := find(ctx, c, named(args))
		switch {
		case err != nil:
			return err
		case a.CSV:
			return a.PrintCSV(ctx, c, client.StocktakeQuery{Identifier: s.Identifier, Outcome: outcome})
		case outcome == api.OutcomeUnknown:
			return command.List(a, c.StocktakeCodePages(ctx, s.Identifier, 0), func(all iterOf[api.StocktakeCode]) error {
				return command.Lines(a.Term, all, func(code api.StocktakeCode) []string { return []string{code.Code} })
			}, "codes", "No unknown code was scanned.")
		case outcome != "":
			return command.List(a, c.StocktakeCopyPages(ctx, s.Identifier, outcome, 0), func(all iterOf[api.StocktakeCopy]) error {
				return records.Show(ctx, a.Term, c, all, copyCells, tableCopies)
			}, "copies", "There are none.")
		}
		return a.Print(s, func() error { return a.PrintFacts(factsOf(ctx, records.NewCalendar(c), s)) })
	})
}

func copyCells(_ context.Context, _ *records.Calendar, c api.StocktakeCopy) []string {
	return []string{c.Identifier, c.Barcode, c.Shelf, titleOf(c.Copy), c.State}
}

func tableCopies(_ context.Context, t *terminal.Terminal, _ *client.Client, _ *records.Calendar, copies []api.StocktakeCopy) error {
	table := t.NewTable(terminal.Column{Title: "shelf", Give: 2}, terminal.Column{Title: "title", Give: 1, Style: terminal.Bold},
		terminal.Column{Title: "barcode"}, terminal.Column{Title: "state"})
	for _, c := range copies {
		table.Cells(terminal.Cell{Text: c.Shelf}, terminal.Cell{Text: titleOf(c.Copy)}, terminal.Cell{Text: c.Barcode}, terminal.Cell{Text: c.State})
	}
	return table.Flush()
}

func titleOf(c api.Copy) string {
	if c.Book == nil {
		return ""
	}
	return c.Book.Title
}

// factsOf are the numbers of a stocktake.
func factsOf(ctx context.Context, k *records.Calendar, s api.Stocktake) []command.Fact {
	facts := []command.Fact{{"name", s.Name}, {"state", s.State}, {"started", k.Day(ctx, s.StartedAt)}}
	if len(s.Shelves) > 0 {
		facts = append(facts, command.Fact{"shelves", strings.Join(s.Shelves, ", ")})
	}
	number := func(name string, n int) { facts = append(facts, command.Fact{name, command.Thousands(n)}) }
	number("expected", s.Expected)
	number("remaining", s.Remaining)
	number("away at the start", s.Away)
	for _, o := range outcomes {
		if n := s.Counts[o.name]; n > 0 {
			number(o.words, n)
		}
	}
	if s.Marked != nil {
		number("marked as missing", *s.Marked)
	}
	if s.Swaps != nil && len(*s.Swaps) > 0 {
		for _, w := range *s.Swaps {
			facts = append(facts, command.Fact{"swapped?", fmt.Sprintf("%s is on the shelf as %s, not as %s; 'library loans move' corrects it", titleOf(w.Scanned), w.Scanned.Barcode, w.Free.Barcode)})
		}
	}
	return facts
}
