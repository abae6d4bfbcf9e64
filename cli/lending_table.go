package cli

import (
	"context"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

// lendingRow is a loan or a hold in a table.
type lendingRow struct {
	id    string
	title string
	user  *api.Person
	last  terminal.Cell // when it is due, or how far it has come
}

// Loans and holds are named by their books as well, so their identifiers give way
// where the screen is narrower than this.
const roomForIdentifier = 60

// tableLending shows loans or holds at a terminal. Whose they are is left out
// where they are all the person's own.
func tableLending(ctx context.Context, t *terminal.Terminal, c *client.Client, last string, rows []lendingRow) error {
	people, ids := false, make([]string, len(rows))
	who := newViewer(c)
	for i, r := range rows {
		ids[i] = r.id
		people = people || r.user != nil && r.user.Identifier != who.identifier(ctx)
	}
	identified := t.Width() >= roomForIdentifier
	var columns []terminal.Column
	if identified {
		columns = append(columns, terminal.Column{Title: "id", Style: terminal.Dim})
	}
	columns = append(columns, terminal.Column{Title: "title", Give: 2, Style: terminal.Bold})
	if people {
		columns = append(columns, terminal.Column{Title: "reader", Give: 3})
	}
	table := t.NewTable(append(columns, terminal.Column{Title: last, Give: 1})...)
	for i, id := range shortIDs(ids) {
		var cells []terminal.Cell
		if identified {
			cells = append(cells, terminal.Cell{Text: id})
		}
		cells = append(cells, terminal.Cell{Text: rows[i].title})
		if people {
			cells = append(cells, terminal.Cell{Text: nameOf(rows[i].user)})
		}
		if err := table.Cells(append(cells, rows[i].last)...); err != nil {
			return err
		}
	}
	return table.Flush()
}

// nameOf is the name of a person, "" if that is forgotten.
func nameOf(p *api.Person) string {
	if p == nil {
		return ""
	}
	return personName(*p)
}
