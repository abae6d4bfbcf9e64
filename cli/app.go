package cli

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// app is what the commands of the terminal client have in common.
type app struct {
	env     Environment
	server  string // --server: a name or an address
	noColor bool
	json    bool

	term  *terminal.Terminal // set when a command runs
	store *profile.Store     // opened when it is needed

	commands []*cobra.Command // those that were made by command
}

func newApp(env Environment) *app { return &app{env: env} }

// Where the library and its identity provider are on a machine that runs
// `library demo`.
const (
	DemoServer = "http://localhost:9091/library-server"
	DemoIssuer = "http://localhost:8080/auth/realms/workshop"
)

// commonFlags adds the flags that every command has, after its own.
func (a *app) commonFlags() {
	for _, cmd := range a.commands {
		cmd.Flags().BoolVar(&a.noColor, "no-color", false, "no colours, as with NO_COLOR in the environment")
	}
}

// command makes a command that speaks with a person: common flags, arguments
// that are counted by their names, and errors in the words of failure.go.
func (a *app) command(cmd *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	cmd.Flags().SortFlags = false
	a.commands = append(a.commands, cmd)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := checkArguments(cmd, args); err != nil {
			return err
		}
		a.term = terminal.New(terminal.Options{
			In: a.env.Stdin, Out: a.env.Stdout, Err: a.env.Stderr, Lookup: a.env.Lookup, NoColor: a.noColor,
		})
		for _, f := range a.env.Misspelt() {
			a.tell("Warning: %s: %s", f.Where, f.Message)
		}
		ctx := cmd.Context()
		err := run(ctx, args)
		if err != nil && ctx.Err() != nil {
			return insteadOf(err, Interrupted(ctx, ""))
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
	_ = cmd.RegisterFlagCompletionFunc("server", a.completeServer) // fails only without the flag
}

// jsonFlag adds --json to a command that shows something.
func (a *app) jsonFlag(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&a.json, "json", false, "print "+what+" as JSON")
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
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	clean := func(text string) string { return text }
	if a.term.Interactive() {
		encoder.SetIndent("", "  ")
		clean = terminal.CleanJSON
	}
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(a.term.Out, clean(text.String()))
	return err
}

// group makes a command that only holds others.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return noSuchCommand(cmd, args[0])
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
