// Package command provides the parts of all terminal commands: the app with its terminal, the
// server to speak to and the token for it, output as tables, lines and JSON, errors in words with
// their exit codes, and the count of arguments. It knows no single command.
//
// Start reading at App.Remote, which makes a command that speaks to a library.
// The file failure.go turns errors into words and exit codes.
package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// App is shared by the commands of the terminal client.
type App struct {
	Env    Environment
	Term   *terminal.Terminal // set when a command runs
	Server string             // --server: a name or an address
	JSON   bool               // --json
	CSV    bool               // --csv

	noColor bool
	store   *profile.Store // opened when it is needed

	commands []*cobra.Command // made by Command
}

// NewApp returns the app of a process, or of a test.
func NewApp(env Environment) *App { return &App{Env: env} }

// Addresses of the library and its identity provider on a machine that runs `library demo`.
const (
	DemoServer = "http://localhost:9091/library-server"
	DemoIssuer = "http://localhost:8080/auth/realms/workshop"
)

// CommonFlags adds the common flags to every command, after its own.
func (a *App) CommonFlags() {
	for _, cmd := range a.commands {
		cmd.Flags().BoolVar(&a.noColor, "no-color", false, "no colours, as with NO_COLOR in the environment")
	}
}

// Command makes a command that speaks with a person: common flags, arguments
// counted by their names, and errors in the words of failure.go.
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

// Counted makes a command that counts its arguments by their names.
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

// Remote makes a command that needs a sign-in.
func (a *App) Remote(cmd *cobra.Command, run func(ctx context.Context, c *client.Client, args []string) error) *cobra.Command {
	a.Command(cmd, func(ctx context.Context, args []string) error {
		c, err := a.client(ctx)
		if err != nil {
			return err
		}
		err = run(ctx, c, args)
		if refused, is := AsRefusal(err); is && refused.Status == http.StatusBadRequest {
			return Fail(exitCodeOf(refused), "%s", byFlags(cmd, refused))
		}
		return a.Explain(ctx, c, err)
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

func (a *App) client(ctx context.Context) (*client.Client, error) {
	address, source, err := a.Source(ctx)
	if err != nil {
		return nil, err
	}
	return client.New(address, source)
}

// PrintJSON writes a value as JSON: readable for a person, one line for a program.
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

// Print shows a record: as JSON with --json, or else with show.
func (a *App) Print(record any, show func() error) error {
	if a.JSON {
		return a.PrintJSON(record)
	}
	return show()
}

// Changed shows a changed record: as JSON with --json, or else in a sentence.
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

// Group makes a command that only holds others. Its examples are the first ones of its commands.
func Group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	var examples []string
	for _, one := range commands[:min(len(commands), 5)] {
		first, _, _ := strings.Cut(one.Example, "\n")
		examples = append(examples, first)
	}
	cmd.Example = strings.Join(examples, "\n")
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return NoSuchCommand(cmd, args[0])
		}
		return cmd.Help()
	}
	return cmd
}

// CheckArguments counts the arguments against the words in capitals in the use line: "show BOOK"
// takes one, "show [BOOK]" at most one, "show BOOK..." one or more.
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

// Screen returns a terminal that writes its results to the standard error, too.
func (a *App) Screen() *terminal.Terminal {
	return terminal.New(terminal.Options{Out: a.Env.Stderr, Err: a.Env.Stderr, Lookup: a.Env.Lookup, NoColor: a.noColor})
}

// DefaultClientID is the client id of this program at identity providers, unless
// another one is given.
const DefaultClientID = "library-cli"

// YesFlag adds --yes to a command that asks before it does something.
func YesFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVarP(into, "yes", "y", false, "do not ask")
}

// MustAskOr refuses to start where nobody can be asked, unless yes is true.
func (a *App) MustAskOr(cmd *cobra.Command, yes bool) error {
	t := terminal.New(terminal.Options{In: a.Env.Stdin, Out: a.Env.Stdout, Err: a.Env.Stderr, Lookup: a.Env.Lookup})
	if yes || t.CanAsk() {
		return nil
	}
	return Usage(cmd, "--yes", "is needed where nobody can be asked")
}

// Confirm asks the question, unless yes is true. It returns an error with the text
// otherwise for any answer but yes.
func (a *App) Confirm(ctx context.Context, yes bool, question, otherwise string) error {
	if yes {
		return nil
	}
	agreed, err := Await(ctx, func() (bool, error) { return a.Term.Confirm(question) })
	if err != nil || !agreed {
		return Fail(ExitFailed, "%s", otherwise)
	}
	return nil
}

// ConfirmNumber lets a person type the number n before a change that is likely to be a mistake. It
// returns an error with the text otherwise for any other answer, and if nobody can be asked.
func (a *App) ConfirmNumber(ctx context.Context, n int, question, otherwise string) error {
	answer, err := Await(ctx, func() (string, error) { return a.Term.Ask(question) })
	if answer = strings.NewReplacer(",", "", ".", "", " ", "").Replace(answer); err != nil || answer != strconv.Itoa(n) {
		return Fail(ExitFailed, "%s", otherwise)
	}
	return nil
}
