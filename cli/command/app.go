// Package command is what the commands of the terminal client are made of: the
// app with its terminal, the server to speak to and the token for it, output as
// tables, lines and JSON, errors in words with their exit codes, and the count of
// arguments. It knows no single command.
//
// Start reading at App.Remote, which makes a command that speaks to a library.
// The file failure.go turns errors into words and exit codes.
package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// App is what the commands of the terminal client have in common.
type App struct {
	Env    Environment
	Term   *terminal.Terminal // set when a command runs
	Server string             // --server: a name or an address
	JSON   bool               // --json

	noColor bool
	store   *profile.Store // opened when it is needed

	commands []*cobra.Command // those that Command has made
}

// NewApp is the app of a process, or of a test.
func NewApp(env Environment) *App { return &App{Env: env} }

// Where the library and its identity provider are on a machine that runs
// `library demo`.
const (
	DemoServer = "http://localhost:9091/library-server"
	DemoIssuer = "http://localhost:8080/auth/realms/workshop"
)

// CommonFlags adds the flags that every command has, after its own.
func (a *App) CommonFlags() {
	for _, cmd := range a.commands {
		cmd.Flags().BoolVar(&a.noColor, "no-color", false, "no colours, as with NO_COLOR in the environment")
	}
}

// Command makes a command that speaks with a person: common flags, arguments
// that are counted by their names, and errors in the words of failure.go.
func (a *App) Command(cmd *cobra.Command, run func(ctx context.Context, args []string) error) *cobra.Command {
	cmd.Flags().SortFlags = false
	a.commands = append(a.commands, cmd)
	return Counted(cmd, func(cmd *cobra.Command, args []string) error {
		a.Term = terminal.New(terminal.Options{
			In: a.Env.Stdin, Out: a.Env.Stdout, Err: a.Env.Stderr, Lookup: a.Env.Lookup, NoColor: a.noColor,
		})
		for _, f := range a.Env.Misspelt() {
			a.Message("Warning: %s: %s", f.Where, f.Message)
		}
		ctx := cmd.Context()
		err := run(ctx, args)
		if err != nil && ctx.Err() != nil {
			return insteadOf(err, Interrupted(ctx, ""))
		}
		return err
	})
}

// Counted makes a command whose arguments are counted by their names.
func Counted(cmd *cobra.Command, run func(cmd *cobra.Command, args []string) error) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := CheckArguments(cmd, args); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

// Remote makes a command that needs somebody to be signed in.
func (a *App) Remote(cmd *cobra.Command, run func(ctx context.Context, c *client.Client, args []string) error) *cobra.Command {
	a.Command(cmd, func(ctx context.Context, args []string) error {
		c, err := a.client(ctx)
		if err != nil {
			return err
		}
		return a.Explain(ctx, c, run(ctx, c, args))
	})
	a.ServerFlag(cmd)
	return cmd
}

// ServerFlag adds --server.
func (a *App) ServerFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&a.Server, "server", "", "the library to speak to: its address or its name in 'library server list' (LIBRARY_SERVER)")
	_ = cmd.RegisterFlagCompletionFunc("server", a.completeServer) // fails only without the flag
}

// JSONFlag adds --json to a command that shows something.
func (a *App) JSONFlag(cmd *cobra.Command, what string) {
	cmd.Flags().BoolVar(&a.JSON, "json", false, "print "+what+" as JSON")
}

// client is the API of the chosen server, for the person who is signed in there.
func (a *App) client(ctx context.Context) (*client.Client, error) {
	address, source, err := a.Source(ctx)
	if err != nil {
		return nil, err
	}
	return client.New(address, source)
}

// PrintJSON writes a value as JSON: readable for a person, one line for a
// program.
func (a *App) PrintJSON(value any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	clean := func(text string) string { return text }
	if a.Term.Interactive() {
		encoder.SetIndent("", "  ")
		clean = terminal.CleanJSON
	}
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(a.Term.Out, clean(text.String()))
	return err
}

// Print shows a record: as JSON if that is wanted, or else with show.
func (a *App) Print(record any, show func() error) error {
	if a.JSON {
		return a.PrintJSON(record)
	}
	return show()
}

// Changed shows a record that has changed as JSON if that is wanted, or else says so.
func (a *App) Changed(record any, format string, args ...any) error {
	if a.JSON {
		return a.PrintJSON(record)
	}
	a.Say(format, args...)
	return nil
}

// Added is Changed for a new record; in a pipe it prints the identifier.
func (a *App) Added(record any, id, format string, args ...any) error {
	if a.JSON || a.Term.Interactive() {
		return a.Changed(record, format, args...)
	}
	_, err := fmt.Fprintln(a.Term.Out, terminal.Clean(id))
	return err
}

// Group makes a command that only holds others.
func Group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return NoSuchCommand(cmd, args[0])
		}
		return cmd.Help()
	}
	return cmd
}

// CheckArguments counts the arguments against the words in capitals in the use
// line: "show BOOK" takes one, "show [BOOK]" at most one, "show BOOK..." one or
// more.
func CheckArguments(cmd *cobra.Command, args []string) error {
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
		return Usage(cmd, required[len(args)], "is missing; usage: "+cmd.UseLine())
	case !endless && len(args) > len(required)+len(optional):
		return Usage(cmd, args[len(required)+len(optional)], "is one argument too many; put quotes around words that belong together")
	}
	return nil
}

// Screen is a terminal whose results go where everything else goes.
func (a *App) Screen() *terminal.Terminal {
	return terminal.New(terminal.Options{Out: a.Env.Stderr, Err: a.Env.Stderr, Lookup: a.Env.Lookup, NoColor: a.noColor})
}

// DefaultClientID is what identity providers call this program, unless it is said
// otherwise.
const DefaultClientID = "library-cli"
