package engine

import (
	"iter"
	"slices"
)

// Inserts are the statements that add rows to a table, and their arguments: many rows at a
// time, or a few one by one, since SQLite puts the rows of one statement into a table of its
// own first, where there are triggers.
func (d *Dialect) Inserts(into string, types []string, rows [][]any) iter.Seq2[string, []any] {
	atOnce := 500
	if len(rows) < 4 && !d.LocksRecords() {
		atOnce = 1
	}
	return func(yield func(text string, args []any) bool) {
		for some := range slices.Chunk(rows, atOnce) {
			source, args := d.Values(types, some)
			if !yield(`INSERT INTO `+into+` `+source, args) {
				return
			}
		}
	}
}
