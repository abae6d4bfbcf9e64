package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/terminal"
)

// app is what the commands of the terminal client have in common.
type app struct {
	env     environment
	server  string // --server: a name or an address
	noColor bool
	json    bool

	term *terminal.Terminal // set when a command runs
}

// Where the library and its identity provider are on a machine that runs
// `library demo`.
const (
	demoServer = "http://localhost:9091/library-server"
	demoIssuer = "http://localhost:8080/auth/realms/workshop"
)

// addClientCommands adds the commands of the terminal client. Each is a file of
// its own, with an options struct where it has options, and a run function.
func addClientCommands(root *cobra.Command, env environment) {
	a := &app{env: env}
	_ = a
}

// command makes a command that speaks with a person: common flags, arguments
// that are counted by their names, and errors in the words of failure.go.
func (a *app) command(cmd *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&a.noColor, "no-color", false, "no colours, as with NO_COLOR in the environment")
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkArguments(cmd, args); err != nil {
			return err
		}
		a.term = terminal.New(terminal.Options{
			In: a.env.stdin, Out: a.env.stdout, Err: a.env.stderr, Lookup: a.env.lookup, NoColor: a.noColor,
		})
		err := run(cmd.Context(), args)
		if err != nil && cmd.Context().Err() != nil {
			return errInterrupted
		}
		return err
	}
	return cmd
}

// remote makes a command that needs somebody to be signed in.
func (a *app) remote(cmd *cobra.Command, run func(ctx context.Context, c *client.Client, args []string) error) *cobra.Command {
	a.command(cmd, func(ctx context.Context, args []string) error {
		c, err := a.client(ctx)
		if err != nil {
			return err
		}
		return a.explain(ctx, c, run(ctx, c, args))
	})
	a.serverFlag(cmd)
	return cmd
}

func (a *app) serverFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.server, "server", "", "the library to speak to: its address or its name in 'library server list' (LIBRARY_SERVER)")
}

// jsonFlag adds --json to a command that shows records.
func (a *app) jsonFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print whole records as JSON")
}

// client is the API of the chosen server, for whoever is signed in there.
func (a *app) client(ctx context.Context) (*client.Client, error) {
	address, source, err := a.source(ctx)
	if err != nil {
		return nil, err
	}
	return client.New(address, source)
}

// printJSON writes a value as JSON: readable for a person, one line for a
// program.
func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.term.Out)
	encoder.SetEscapeHTML(false)
	if a.term.Interactive() {
		encoder.SetIndent("", "  ")
	}
	return encoder.Encode(value)
}

// say tells a person something. It is not a result: in a pipe nobody hears it.
func (a *app) say(format string, args ...any) {
	if a.term.Interactive() {
		fmt.Fprintf(a.term.Err, format+"\n", args...)
	}
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usage(cmd, args[0], "there is no such command")
		}
		return cmd.Help()
	}
	return cmd
}

// checkArguments counts the arguments against the words in capitals in the use
// line: "show BOOK" takes one, "show [BOOK]" at most one, "show BOOK..." one or
// more.
func checkArguments(cmd *cobra.Command, args []string) error {
	var required, optional []string
	endless := false
	for _, word := range strings.Fields(cmd.Use)[1:] {
		name := strings.Trim(word, "[].")
		if name != strings.ToUpper(name) || strings.HasPrefix(name, "-") {
			continue
		}
		endless = endless || strings.HasSuffix(strings.Trim(word, "[]"), "...")
		if strings.HasPrefix(word, "[") {
			optional = append(optional, name)
		} else {
			required = append(required, name)
		}
	}
	switch {
	case len(args) < len(required):
		return usage(cmd, required[len(args)], "is missing; usage: "+cmd.UseLine())
	case !endless && len(args) > len(required)+len(optional):
		return usage(cmd, args[len(required)+len(optional)], "is one argument too many; put quotes around words that belong together")
	}
	return nil
}
