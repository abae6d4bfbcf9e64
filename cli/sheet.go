package cli

import (
	"fmt"
	"strings"

	"example.org/library/terminal"
)

// sheetWidth is the room that a sheet has for the names of its fields.
const sheetWidth = 12

// printSheet shows one record at a terminal: a heading, and the facts that have
// a value.
func (a *app) printSheet(title string, authors []string, facts []fact) error {
	var sheet strings.Builder
	fmt.Fprintln(&sheet, a.term.Paint(terminal.Bold, terminal.Wrap(terminal.Clean(title), a.term.Width())))
	if len(authors) > 0 {
		fmt.Fprintln(&sheet, terminal.Wrap("by "+cleanList(authors), a.term.Width()))
	}
	fmt.Fprintln(&sheet)
	for _, f := range facts {
		if f[1] != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", sheetWidth, f[0], a.below(sheetWidth, terminal.Clean(f[1])))
		}
	}
	_, err := fmt.Fprint(a.term.Out, sheet.String())
	return err
}
