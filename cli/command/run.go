package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/terminal"
)

// Exit codes.
const (
	ExitOK     = 0
	ExitFailed = 1
	ExitUsage  = 2 // a command line or configuration that cannot work

	// Of the commands that use a library.
	ExitNotSignedIn = 4
	ExitNotFound    = 5
	ExitConflict    = 6

	ExitInterrupted = 130 // by Ctrl-C
	exitTerminated  = 143 // by SIGTERM
)

// Environment is all that a command knows of the process it runs in.
type Environment struct {
	Lookup func(string) (string, bool)
	Names  func() []string // of all variables; nil if that is not known
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer

	Interrupts *Interrupts // nil if there are none

	ends      *[]func()   // what is to be done before the program ends
	variables *[]variable // that some command reads, filled while the commands are made
}

// atEnd registers a function that runs before the program ends, unless it is killed.
func (e Environment) atEnd(do func()) {
	if e.ends != nil {
		*e.ends = append(*e.ends, do)
	}
}

// PrintError says what went wrong. Errors quote what they are about.
func (e Environment) PrintError(err error) {
	e.Message("library: " + terminal.CleanText(err.Error()))
}

// Message writes a text for a person, with its lines broken between words.
func (e Environment) Message(text string) {
	fmt.Fprintln(e.Stderr, terminal.Fit(e.Stderr, e.Lookup, text))
}

// Execute makes the commands, runs the one that is meant and returns the exit
// code. What went wrong is printed.
func Execute(ctx context.Context, args []string, env Environment, newRoot func(Environment) *cobra.Command) int {
	env.ends = &[]func(){}
	defer func() {
		for _, do := range *env.ends {
			do()
		}
	}()
	root := newRoot(env.withVariables())
	root.SetArgs(args)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = Interrupted(ctx, "")
	}
	if badUsage, ok := errors.AsType[*UsageError](err); ok {
		env.Message(strings.TrimSuffix(terminal.CleanText(badUsage.Error()), "\n"))
	} else {
		env.PrintError(err)
	}
	return ExitCode(err)
}
