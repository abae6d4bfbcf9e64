package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// Problem is one thing that is wrong with a command line or the environment.
type Problem struct {
	Where   string
	Message string
}

// UsageError is everything that is wrong with a command line and the
// environment, at once.
type UsageError struct {
	Command  string
	Problems []Problem
}

func (e *UsageError) Error() string {
	var b strings.Builder
	if len(e.Problems) == 1 {
		fmt.Fprintf(&b, "%s: one thing needs attention:\n", e.Command)
	} else {
		fmt.Fprintf(&b, "%s: %d things need attention:\n", e.Command, len(e.Problems))
	}
	for _, p := range e.Problems {
		if p.Where != "" {
			p.Where += ": "
		}
		fmt.Fprintf(&b, "  %s%s\n", p.Where, p.Message)
	}
	fmt.Fprintf(&b, "Run '%s --help' for more.\n", e.Command)
	return b.String()
}

// Problems are what is wrong with a command line so far.
type Problems []Problem

// Add adds a problem. Where may be "" for the whole command line.
func (p *Problems) Add(where, message string) { *p = append(*p, Problem{where, message}) }

// AddChoice adds the problem that a value is none of those that it can be.
func (p *Problems) AddChoice(where, value string, choices []string) {
	p.Add(where, fmt.Sprintf("is %q; it must be one of %s", value, strings.Join(choices, ", ")))
}

// CheckChoice adds that problem if a value is given and is none of the choices.
func (p *Problems) CheckChoice(where, value string, choices []string) {
	if value != "" && !slices.Contains(choices, value) {
		p.AddChoice(where, value, choices)
	}
}

// In is the error of a command with these problems, nil if there are none.
func (p Problems) In(cmd *cobra.Command) error {
	if len(p) == 0 {
		return nil
	}
	return &UsageError{Command: cmd.CommandPath(), Problems: p}
}

// Usage is one problem of a command line.
func Usage(cmd *cobra.Command, where, message string) error {
	return Problems{{where, message}}.In(cmd)
}
