package cli

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

// atEnd has something done before the program ends, however it ends by itself.
func (e Environment) atEnd(do func()) {
	if e.ends != nil {
		*e.ends = append(*e.ends, do)
	}
}

// complain says what went wrong. Errors quote what they are about.
func (e Environment) complain(err error) {
	e.message("library: " + terminal.CleanText(err.Error()))
}

// message writes a text for a person, with its lines broken between words.
func (e Environment) message(text string) {
	fmt.Fprintln(e.Stderr, terminal.Fit(e.Stderr, e.Lookup, text))
}

// Program is the program that the commands are part of.
type Program struct {
	Version string // in short
	Build   string // what --version says: the version and what it was built from
	// Commands make the commands that run a part of the library.
	Commands []func(Environment) *cobra.Command
}

// Run is the program without its process. It returns the exit code.
func Run(ctx context.Context, args []string, env Environment, program Program) int {
	env.ends = &[]func(){}
	defer func() {
		for _, do := range *env.ends {
			do()
		}
	}()
	root := NewRoot(env, program)
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
	var badUsage *UsageError
	if errors.As(err, &badUsage) {
		env.message(strings.TrimSuffix(terminal.CleanText(badUsage.Error()), "\n"))
	} else {
		env.complain(err)
	}
	return exitCode(err)
}

// NewRoot makes the root command with all others.
func NewRoot(env Environment, program Program) *cobra.Command {
	env.variables = &[]variable{}
	for _, name := range clientVariables {
		env.AddVariable(name, "")
	}
	root := &cobra.Command{
		Use:   "library",
		Short: "A lending library for a school, company or town",
		Long: `A lending library for a school, company or town. People sign in with the account
they already have.

Every setting is a flag and an environment variable; the flag wins.`,
		Version:       program.Build,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return noSuchCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.SetFlagErrorFunc(explainFlags)
	root.CompletionOptions.DisableDefaultCmd = true
	addGroups(root)
	for _, newCommand := range program.Commands {
		addTo(root, groupRun, newCommand(env))
	}
	a := &app{env: env}
	addTo(root, groupUse, newLogin(a), newLogout(a), newWhoami(a), newToken(a), newServer(a), newDoctor(a),
		newBooks(a), newLoans(a), newHolds(a), newCopies(a), newDesk(a), newUsers(a), newPolicy(a), newStatistics(a), newMe(a), newAPI(a))
	a.commonFlags()
	root.AddCommand(newCompletion(env), newMan(env, program.Version), newVersion(env))
	root.AddCommand(newExitCodes(), newEnvironmentTopic())
	return root
}
