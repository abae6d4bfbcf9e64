package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// unsaid are defaults that the page leaves out.
var unsaid = []string{"", "0", "-1", "false", "[]"}

// pageName is the name of a command's manual page: library-books-list.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// manualPage writes the manual page of a command in the man macros of roff.
//
// The generator that comes with cobra has no pages for topics such as exit
// codes, lists neither commands nor aliases, and needs three more modules.
func manualPage(cmd *cobra.Command, version string) string {
	p := &page{}
	p.macro("TH", strings.ToUpper(pageName(cmd)), "1", "", "library "+version, "Library")
	p.macro("SH", "NAME")
	p.line(pageName(cmd) + " - " + cmd.Short)
	if !cmd.IsAdditionalHelpTopicCommand() {
		p.macro("SH", "SYNOPSIS")
		p.macro("B", cmd.UseLine())
	}
	p.macro("SH", "DESCRIPTION")
	if text := cmd.Long; text != "" {
		p.text(text)
	} else {
		p.text(cmd.Short + ".")
	}
	if len(cmd.Aliases) > 0 {
		p.macro("PP")
		p.line("Also: " + strings.Join(cmd.Aliases, ", ") + ".")
	}
	p.commands(cmd)
	p.options(cmd)
	if cmd.Example != "" {
		p.macro("SH", "EXAMPLES")
		p.literal(cmd.Example)
	}
	p.seeAlso(cmd)
	return p.String()
}

func (p *page) commands(cmd *cobra.Command) {
	heading := "COMMANDS"
	for _, child := range cmd.Commands() {
		if child.Hidden || child.Name() == "help" {
			continue
		}
		if heading != "" {
			p.macro("SH", heading)
			heading = ""
		}
		p.macro("TP")
		p.macro("B", strings.TrimPrefix(child.UseLine(), cmd.CommandPath()+" "))
		p.line(child.Short)
	}
}

func (p *page) options(cmd *cobra.Command) {
	heading := "OPTIONS"
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		if heading != "" {
			p.macro("SH", heading)
			heading = ""
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		kind, text := pflag.UnquoteUsage(f)
		if kind != "" {
			name += " " + kind
		}
		if !slices.Contains(unsaid, f.DefValue) {
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		p.macro("TP")
		p.macro("B", name)
		p.line(text)
	})
}

func (p *page) seeAlso(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, pageName(cmd.Parent())+"(1)")
	}
	for _, child := range cmd.Commands() {
		if !child.Hidden && child.Name() != "help" {
			pages = append(pages, pageName(child)+"(1)")
		}
	}
	if len(pages) > 0 {
		p.macro("SH", "SEE ALSO")
		p.line(strings.Join(pages, ", "))
	}
}

// page is a text in roff.
type page struct{ strings.Builder }

// macro writes a request with its arguments.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		p.WriteString(` "` + strings.ReplaceAll(escapeRoff(arg), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// line writes text that is filled with what stands around it.
func (p *page) line(text string) {
	text = escapeRoff(strings.Join(strings.Fields(text), " "))
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text // it is not a request
	}
	p.WriteString(text + "\n")
}

// text writes paragraphs. Those that are indented stay as they are.
func (p *page) text(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			p.macro("PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			p.literal(paragraph)
		} else {
			p.line(paragraph)
		}
	}
}

// literal writes lines as they are.
func (p *page) literal(text string) {
	p.macro("nf")
	for line := range strings.Lines(text) {
		p.WriteString(`\&` + escapeRoff(strings.TrimRight(line, "\n")) + "\n")
	}
	p.macro("fi")
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", "\\(ga", `^`, `\(ha`, `~`, `\(ti`)

// escapeRoff makes text stand for itself, and what is typed fit to be copied.
func escapeRoff(text string) string { return roffEscapes.Replace(text) }
