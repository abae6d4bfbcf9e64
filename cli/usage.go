package cli

import (
	"fmt"
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

// usage is one problem of a command line.
func usage(cmd *cobra.Command, where, message string) error {
	return &UsageError{Command: cmd.CommandPath(), Problems: []Problem{{where, message}}}
}
