package cli

import (
	"context"
	"fmt"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newHolds(a *app) *cobra.Command {
	return group(&cobra.Command{
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
		newHoldList(a), newHoldAdd(a), newHoldFetch(a), newHoldCancel(a))
}

// setAside says for whom a copy is set aside: "Set aside for Bruce Wayne until
// Friday, 12 December".
func setAside(ctx context.Context, k *calendar, h api.Hold) string {
	text := "Set aside"
	if name := nameOf(h.User); name != "" {
		text += " for " + name
	}
	if h.Until != "" {
		text += " until " + k.day(ctx, h.Until)
	}
	return text
}

// holdState is how far a hold has come, in words.
func (k *calendar) holdState(ctx context.Context, state string, position int, until string) string {
	switch {
	case state == api.HoldWaiting && position == 1:
		return "next in the queue"
	case state == api.HoldWaiting && position > 1:
		return fmt.Sprintf("number %s in the queue", thousands(position))
	case state == api.HoldReady && until != "":
		return "ready until " + k.day(ctx, until)
	}
	return state
}

// tableHolds shows holds at a terminal.
func tableHolds(ctx context.Context, t *terminal.Terminal, c *client.Client, k *calendar, holds []api.Hold) error {
	rows := make([]lendingRow, len(holds))
	for i, h := range holds {
		state := k.holdState(ctx, h.State, h.Position, h.Until)
		if h.FetchedAt != "" {
			state += ", fetched"
		}
		rows[i] = lendingRow{id: h.Identifier, title: h.Book.Title, user: h.User, last: terminal.Cell{Text: state}}
		if h.State == api.HoldReady {
			rows[i].last.Style = terminal.Green
		}
	}
	return tableLending(ctx, t, c, "state", rows)
}

// lineHolds writes holds for programs, one on a line.
func lineHolds(ctx context.Context, t *terminal.Terminal, k *calendar, holds iter.Seq2[api.Hold, error]) error {
	table := t.NewTable(make([]terminal.Column, 7)...)
	for h, err := range holds {
		if err != nil {
			return err
		}
		position, until, fetched := "", "", ""
		if h.Position > 0 {
			position = fmt.Sprint(h.Position)
		}
		if h.Until != "" {
			until = k.date(ctx, h.Until)
		}
		if h.FetchedAt != "" {
			fetched = "fetched"
		}
		if err := table.Row(h.Identifier, h.Book.Title, nameOf(h.User), h.State, position, until, fetched); err != nil {
			return err
		}
	}
	return table.Flush()
}

// showHolds shows holds to whoever is there.
func showHolds(ctx context.Context, t *terminal.Terminal, c *client.Client, holds iter.Seq2[api.Hold, error]) error {
	k := newCalendar(c)
	if !t.Interactive() {
		return lineHolds(ctx, t, k, holds)
	}
	all, err := collect(holds)
	if err != nil {
		return err
	}
	return tableHolds(ctx, t, c, k, all)
}
