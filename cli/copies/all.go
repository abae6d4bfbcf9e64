package copies

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

func newAll(a *command.App) *cobra.Command {
	var q client.CopyQuery
	neverLent, limit := false, 0
	cmd := &cobra.Command{
		Use:   "all",
		Short: "List the copies of all books by shelf",
		Long: `List the copies of all books: by shelf, those without one last, then by title.

In a pipe there is one line for each copy, with tabs between identifier, barcode,
shelf, state, where it is, note, and title.`,
		Example: `  library copies all --shelf "A 3"
  library copies all --never-lent --csv > never.csv
  library copies all --state missing
  library copies all --seen-before 2026-01-01`,
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			problems := command.CheckLimit(cmd, limit)
			problems.CheckChoice("--state", q.State, copyStates)
			problems.CheckDate("--seen-before", q.SeenBefore)
			return problems.In(cmd)
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.State, "state", "", "only copies in this state: lendable, reference, damaged, lost or missing")
	command.CompleteFlag(cmd, "state", copyStates...)
	f.StringVar(&q.Shelf, "shelf", "", "only copies on this shelf, as it is written")
	f.StringVar(&q.SeenBefore, "seen-before", "", "only copies that nobody has seen since this day, such as 2026-01-01, or ever")
	f.BoolVar(&neverLent, "never-lent", false, "only copies that were never lent; --never-lent=false for the others")
	command.LimitFlag(cmd, &limit)
	a.JSONFlag(cmd, "whole records")
	a.CSVFlag(cmd)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		if f.Changed("never-lent") {
			q.NeverLent = &neverLent
		}
		if a.CSV {
			return a.PrintCSV(ctx, c, q)
		}
		show := func(copies iter.Seq2[api.Copy, error]) error {
			return tableAll(ctx, a.Term, records.NewCalendar(c), copies)
		}
		return command.List(a, c.CopyPages(ctx, q, a.LimitOf(limit)), show, "copies", "No copy matches.")
	})
}

// tableAll shows copies of many books.
func tableAll(ctx context.Context, t *terminal.Terminal, k *records.Calendar, copies iter.Seq2[api.Copy, error]) error {
	if !t.Interactive() {
		return command.Lines(t, copies, func(c api.Copy) []string {
			return []string{c.Identifier, c.Barcode, c.Shelf, c.State, whereabouts(ctx, k, c), c.Note, c.Book.Title}
		})
	}
	table := t.NewTable(terminal.Column{Title: "shelf", Give: 3}, terminal.Column{Title: "barcode", Style: terminal.Bold},
		terminal.Column{Title: "title", Give: 1}, terminal.Column{Title: "state"}, terminal.Column{Title: "where", Give: 2})
	for c, err := range copies {
		if err != nil {
			return err
		}
		if err := table.Row(c.Shelf, c.Barcode, c.Book.Title, c.State, whereabouts(ctx, k, c)); err != nil {
			return err
		}
	}
	return table.Flush()
}
