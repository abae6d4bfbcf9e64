// Command library is the lending library in one binary. Each command is a file
// of its own; settings.go is how all of them read flags and environment,
// serve.go is where the rooms are wired together.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/terminal"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // a command line or configuration that cannot work

	// Of the terminal client.
	exitNotSignedIn = 4
	exitNotFound    = 5
	exitConflict    = 6
)

func main() {
	keys := &interrupts{}
	ctx, stop := keys.watch(context.Background())
	code := run(ctx, os.Args[1:], environment{
		lookup: os.LookupEnv, names: variableNames, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, interrupts: keys,
	})
	stop()
	os.Exit(code)
}

// variableNames are the names of all environment variables.
func variableNames() []string {
	var names []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		names = append(names, name)
	}
	return names
}

// environment is all that a command knows of the process it runs in.
type environment struct {
	lookup func(string) (string, bool)
	names  func() []string // of all variables; nil if that is not known
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer

	interrupts *interrupts // nil if there are none
	ends       *[]func()   // what is to be done before the program ends
	variables  *[]string   // that some command reads, filled while the commands are made
}

// atEnd has something done before the program ends, however it ends by itself.
func (e environment) atEnd(do func()) {
	if e.ends != nil {
		*e.ends = append(*e.ends, do)
	}
}

// run is main without the process: tests call it, too.
func run(ctx context.Context, args []string, env environment) int {
	env.ends = &[]func(){}
	defer func() {
		for _, do := range *env.ends {
			do()
		}
	}()
	root := newRoot(env)
	root.SetArgs(args)
	root.SetOut(env.stdout)
	root.SetErr(env.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return exitOK // stopped while it was starting is stopped, too
	}
	var badUsage *usageError
	if errors.As(err, &badUsage) {
		fmt.Fprint(env.stderr, terminal.CleanText(badUsage.Error()))
	} else {
		env.complain(err)
	}
	return exitCode(err)
}

func newRoot(env environment) *cobra.Command {
	known := slices.Clone(clientVariables)
	env.variables = &known
	root := &cobra.Command{
		Use:   "library",
		Short: "A lending library behind the login you already have",
		Long: `A lending library behind the login you already have.

Every setting is a flag and an environment variable; the flag wins.`,
		Version:       thisBuild().String(),
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
	root.AddCommand(newDemo(env), newServe(env), newWeb(env), newIDP(env), newMigrate(env))
	addClientCommands(root, env)
	return root
}
