package command

import (
	"fmt"
	"strings"

	"example.org/library/terminal"
)

// SheetWidth is the room that a sheet has for the names of its fields.
const SheetWidth = 12

// PrintSheet shows one record at a terminal: a heading, and the facts that have
// a value.
func (a *App) PrintSheet(title string, authors []string, facts []Fact) error {
	var sheet strings.Builder
	fmt.Fprintln(&sheet, a.Term.Paint(terminal.Bold, terminal.Wrap(terminal.Clean(title), a.Term.Width())))
	if len(authors) > 0 {
		fmt.Fprintln(&sheet, terminal.Wrap("by "+CleanList(authors), a.Term.Width()))
	}
	fmt.Fprintln(&sheet)
	for _, f := range facts {
		if f[1] != "" {
			fmt.Fprintf(&sheet, "%-*s%s\n", SheetWidth, f[0], a.Below(SheetWidth, terminal.Clean(f[1])))
		}
	}
	_, err := fmt.Fprint(a.Term.Out, sheet.String())
	return err
}

// Fact is a line that says one thing: its name and its value.
type Fact [2]string

// PrintFacts prints facts: aligned for a person, tab-separated for a program.
func (a *App) PrintFacts(facts []Fact) error {
	if !a.Term.Interactive() {
		table := a.Term.NewTable(terminal.Column{}, terminal.Column{})
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
		b.WriteString(a.Term.Paint(terminal.Dim, f[0]+strings.Repeat(" ", width-len(f[0]))) + "  " + a.Below(width+2, terminal.Clean(f[1])) + "\n")
	}
	_, err := a.Term.Out.Write([]byte(b.String()))
	return err
}

// PrintFields writes the fields that have a value, one on a line.
func (a *App) PrintFields(fields []Fact) error {
	for _, f := range fields {
		if f[1] == "" {
			continue
		}
		if _, err := fmt.Fprintf(a.Term.Out, "%s\t%s\n", f[0], terminal.Clean(f[1])); err != nil {
			return err
		}
	}
	return nil
}
