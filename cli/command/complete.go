package command

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/internal/fulltext"
	"example.org/library/terminal"
)

// Completion asks the service what could be meant. The person who
// presses the tab key waits for it, so it gives up soon and says nothing of what
// went wrong.
const (
	completionTimeout = time.Second
	MaxCompletions    = 500
)

// How many arguments a command takes.
const (
	OneArgument = false
	AnyNumber   = true
)

// CompleteFlag offers the values that a flag can have.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for a flag that is not there, and then the tests do, too.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Continued is a name that goes on from what was typed, or "" if it does not.
// Shells compare letter by letter, we do not: what was typed stays as it is.
func Continued(typed, name string) string {
	name = terminal.Clean(name)
	if strings.HasPrefix(name, typed) {
		return name
	}
	wanted := fulltext.Fold(typed)
	for at := 0; at < len(name); {
		_, size := utf8.DecodeRuneInString(name[at:])
		at += size
		if fulltext.Fold(name[:at]) == wanted {
			return typed + name[at:]
		}
	}
	return ""
}

// Complete asks the service, quietly and for no longer than anybody waits for
// the tab key, what an argument could be: the first one, or any of many.
func (a *App) Complete(many bool, ask func(ctx context.Context, c *client.Client, args []string, typed string) ([]cobra.Completion, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 && !many {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx := cmd.Context()
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, cancel := context.WithTimeout(ctx, completionTimeout)
		defer cancel()
		a.Term = terminal.New(terminal.Options{
			In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Lookup: a.Env.Lookup,
		})
		c, err := a.client(ctx)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, err := ask(ctx, c, args, typed)
		if err != nil {
			found = nil
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
