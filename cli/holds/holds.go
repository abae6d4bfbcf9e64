// Package holds is 'library holds': a file for each command.
package holds

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library holds'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "holds",
		Aliases: []string{"hold"},
		Short:   "Reserve books that are on loan, and see who is waiting",
		Long: `Reserve books that are on loan, and see who is waiting. Holds are served first come,
first served: a copy that comes back is set aside for some days. Readers see their own
holds, curators and admins everybody's.

A hold is named by its identifier or the beginning of it (four characters or
more), or by its book: a title, an ISBN or an identifier.`,
		Example: `  library holds add "Clean Code"
  library holds list
  library holds list --ready
  library holds fetch "Clean Code"
  library holds cancel "Clean Code"`,
	},
		newList(a), newAdd(a), newFetch(a), newCancel(a))
}

// tableHolds shows holds at a terminal.
func tableHolds(ctx context.Context, t *terminal.Terminal, c *client.Client, k *records.Calendar, holds []api.Hold) error {
	rows := make([]records.LendingRow, len(holds))
	for i, h := range holds {
		state := k.HoldState(ctx, h.State, h.Position, h.Until)
		if h.FetchedAt != "" {
			state += ", fetched"
		}
		rows[i] = records.LendingRow{ID: h.Identifier, Title: h.Book.Title, User: h.User, Last: terminal.Cell{Text: state}}
		if h.State == api.HoldReady {
			rows[i].Last.Style = terminal.Green
		}
	}
	return records.PrintLending(ctx, t, c, "state", rows)
}

// lineHolds writes holds for programs, one on a line.
func lineHolds(ctx context.Context, t *terminal.Terminal, k *records.Calendar, holds iter.Seq2[api.Hold, error]) error {
	table := t.NewTable(make([]terminal.Column, 7)...)
	for h, err := range holds {
		if err != nil {
			return err
		}
		position, fetched := "", ""
		if h.Position > 0 {
			position = fmt.Sprint(h.Position)
		}
		if h.FetchedAt != "" {
			fetched = "fetched"
		}
		if err := table.Row(h.Identifier, h.Book.Title, records.NameOf(h.User), h.State, position, k.Date(ctx, h.Until), fetched); err != nil {
			return err
		}
	}
	return table.Flush()
}

// showHolds shows holds: as a table at a terminal, as lines in a pipe.
func showHolds(ctx context.Context, t *terminal.Terminal, c *client.Client, holds iter.Seq2[api.Hold, error]) error {
	return records.Show(ctx, t, c, holds, lineHolds, tableHolds)
}
