package records

import (
	"context"
	"iter"
	"slices"
	"sync"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// LendingRow is a loan or a hold in a table.
type LendingRow struct {
	ID    string
	Title string
	User  *api.Person
	Last  terminal.Cell // when it is due, or how far it has come
}

// Loans and holds are named by their books as well, so their identifiers give way
// where the screen is narrower than this.
const roomForIdentifier = 60

// PrintLending shows loans or holds at a terminal. Whose they are is left out
// where they are all the person's own.
func PrintLending(ctx context.Context, t *terminal.Terminal, c *client.Client, last string, rows []LendingRow) error {
	who := Viewer(ctx, c)
	people := slices.ContainsFunc(rows, func(r LendingRow) bool { return r.User != nil && r.User.Identifier != who() })
	return PrintLendingOf(t, people, last, rows)
}

// PrintLendingOf shows loans or holds, and whose they are if that is to be said.
func PrintLendingOf(t *terminal.Terminal, people bool, last string, rows []LendingRow) error {
	columns := []terminal.Column{{Title: "id", Style: terminal.Dim}, {Title: "title", Give: 2, Style: terminal.Bold}}
	if people {
		columns = append(columns, terminal.Column{Title: "reader", Give: 3})
	}
	columns = append(columns, terminal.Column{Title: last, Give: 1})
	from := 0
	if t.Width() < roomForIdentifier {
		from = 1
	}
	table := t.NewTable(columns[from:]...)
	for i, id := range command.IDs(t, rows, func(r LendingRow) string { return r.ID }) {
		cells := []terminal.Cell{{Text: id}, {Text: rows[i].Title}}
		if people {
			cells = append(cells, terminal.Cell{Text: NameOf(rows[i].User)})
		}
		table.Cells(append(cells, rows[i].Last)[from:]...)
	}
	return table.Flush()
}

// Show shows loans or holds: as a table at a terminal, as lines in a pipe.
func Show[T any](ctx context.Context, t *terminal.Terminal, c *client.Client, records iter.Seq2[T, error],
	lines func(context.Context, *terminal.Terminal, *Calendar, iter.Seq2[T, error]) error,
	table func(context.Context, *terminal.Terminal, *client.Client, *Calendar, []T) error) error {
	k := NewCalendar(c)
	if !t.Interactive() {
		return lines(ctx, t, k, records)
	}
	all, err := command.Collect(records)
	if err != nil {
		return err
	}
	return table(ctx, t, c, k, all)
}

// Viewer finds out who looks at loans or holds, "" if the service does not say. The
// service is asked when it matters.
func Viewer(ctx context.Context, c *client.Client) func() string {
	return sync.OnceValue(func() string {
		me, _ := c.Me(ctx)
		return me.Identifier
	})
}
