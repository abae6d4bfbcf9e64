// Command library is the lending library in one binary. This package has the
// commands that run a part of it, each in a file of its own; those that use a
// library are in package cli. settings.go is how the commands here read flags
// and environment, serve.go is where the packages are wired together.
package main

import (
	"context"
	"os"
	"strings"
	_ "time/tzdata"

	"github.com/spf13/cobra"

	"example.org/library/cli"
	"example.org/library/cli/command"
)

func main() {
	interrupts := &command.Interrupts{}
	ctx, stop := interrupts.Watch(context.Background())
	code := cli.Run(ctx, os.Args[1:], command.Environment{
		Lookup: os.LookupEnv, Names: variableNames, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Interrupts: interrupts,
	}, program())
	stop()
	os.Exit(code)
}

// program is what package cli cannot know.
func program() cli.Program {
	return cli.Program{
		Version: thisBuild().version, Build: thisBuild().String(),
		Commands: []func(command.Environment) *cobra.Command{newDemo, newServe, newWeb, newIDP, newMigrate, newBackup, newRestore},
	}
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
