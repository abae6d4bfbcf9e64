package terminal

import (
	"bufio"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Column is a column of a table.
type Column struct {
	Title string
	Give  int   // how readily it gives way when the screen is narrow; 0 never
	Style Style // of its cells
	Wrap  bool  // the rest of a long text goes on below; only of the last column
}

// Table writes a table to a terminal. To a pipe it writes tab-separated lines
// without a heading, and with every cell whole.
type Table struct {
	t       *Terminal
	columns []Column
	rows    [][]Cell
	out     *bufio.Writer
}

// Cell is a cell of a table. A style of its own goes before the column's.
type Cell struct {
	Text  string
	Style Style
}

const (
	gap       = "  "
	leastCell = 5 // columns of a cell even on the narrowest screen
	ellipsis  = "…"
)

// NewTable returns a table with these columns.
func (t *Terminal) NewTable(columns ...Column) *Table {
	return &Table{t: t, columns: columns, out: bufio.NewWriter(t.Out)}
}

// Row adds a row of plain cells.
func (b *Table) Row(texts ...string) error {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i] = Cell{Text: text}
	}
	return b.Cells(cells...)
}

// Cells adds a row. It writes to a pipe at once, so a list of any length needs no
// memory. Flush returns the error, too.
func (b *Table) Cells(cells ...Cell) error {
	for i := range cells {
		cells[i].Text = Clean(cells[i].Text)
	}
	if b.t.outTTY {
		b.rows = append(b.rows, cells)
		return nil
	}
	for i, cell := range cells {
		if i > 0 {
			b.out.WriteByte('\t')
		}
		b.out.WriteString(cell.Text)
	}
	return b.out.WriteByte('\n')
}

// Flush writes the rows not written before.
func (b *Table) Flush() error {
	if b.t.outTTY && len(b.rows) > 0 {
		widths := b.widths()
		heading := make([]Cell, len(b.columns))
		for i, c := range b.columns {
			heading[i] = Cell{Text: strings.ToUpper(c.Title), Style: Dim}
		}
		b.line(widths, heading)
		for _, row := range b.rows {
			b.line(widths, row)
		}
		b.rows = nil
	}
	return b.out.Flush()
}

func (b *Table) line(widths []int, cells []Cell) {
	last, begin := len(cells)-1, 0
	for i, cell := range cells {
		text := runewidth.Truncate(cell.Text, widths[i], ellipsis)
		if b.columns[i].Wrap {
			text = strings.ReplaceAll(Wrap(cell.Text, widths[i]), "\n", "\n"+strings.Repeat(" ", begin))
		}
		begin += widths[i] + len(gap)
		room := ""
		if i < last {
			room = strings.Repeat(" ", max(0, widths[i]-runewidth.StringWidth(text))) + gap
		}
		style := cell.Style
		if style == Plain {
			style = b.columns[i].Style
		}
		b.out.WriteString(b.t.Paint(style, text))
		b.out.WriteString(room)
	}
	b.out.WriteByte('\n')
}

// widths returns the widths of the columns on the screen. While the table is too wide, one of the
// columns becomes narrower by one: the widest, where a width counts Give times.
func (b *Table) widths() []int {
	widths := make([]int, len(b.columns))
	for i, c := range b.columns {
		widths[i] = runewidth.StringWidth(c.Title)
		for _, row := range b.rows {
			widths[i] = max(widths[i], runewidth.StringWidth(row[i].Text))
		}
	}
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > b.t.width; total-- {
		at := b.nextToGive(widths)
		if at < 0 {
			break
		}
		widths[at]--
	}
	return widths
}

// nextToGive returns the next column to become narrower, -1 if none can.
func (b *Table) nextToGive(widths []int) int {
	at := -1
	for i, c := range b.columns {
		if c.Give == 0 || widths[i] <= leastCell {
			continue
		}
		if at < 0 || widths[i]*c.Give > widths[at]*b.columns[at].Give {
			at = i
		}
	}
	return at
}
