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

// fact is a line that says one thing: its name and its value.
type fact [2]string

// printFacts prints facts: aligned for a person, tab-separated for a program.
func (a *app) printFacts(facts []fact) error {
	if !a.term.Interactive() {
		table := a.term.NewTable(terminal.Column{}, terminal.Column{})
		for _, f := range facts {
			table.Row(f[0], f[1])
		}
		return table.Flush()
	}
	width := 0
	for _, f := range facts {
		width = max(width, len(f[0]))
	}
	var b strings.Builder
	for _, f := range facts {
		b.WriteString(a.term.Paint(terminal.Dim, f[0]+strings.Repeat(" ", width-len(f[0]))) + "  " + a.below(width+2, terminal.Clean(f[1])) + "\n")
	}
	_, err := a.term.Out.Write([]byte(b.String()))
	return err
}

// printFields writes the fields that have a value, one on a line.
func (a *app) printFields(fields []fact) error {
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(a.term.Out, "%s\t%s\n", f[0], terminal.Clean(f[1])); err != nil {
			return err
		}
	}
	return nil
}
