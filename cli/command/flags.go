package command

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.org/library/client"
	"example.org/library/internal/fulltext"
	"example.org/library/terminal"
)

// Completion asks the service for possible values. The person at the tab key
// waits for it, so it gives up soon and reports no errors.
const (
	completionTimeout = time.Second
	MaxCompletions    = 500
)

// How many arguments a command takes.
const (
	OneArgument = false
	AnyNumber   = true
)

// CompleteFlag offers the possible values of a flag.
func CompleteFlag(cmd *cobra.Command, flag string, values ...string) {
	// It fails only for an undefined flag, and then the tests fail, too.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// Continued returns a name as the continuation of the typed text, or "" if it does
// not begin with it. Case and accents make no difference here, but shells compare
// letter by letter, so the typed letters stay as they are.
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

// Complete asks the service for the possible values of an argument: of the first one, or of any of
// many. It is quiet, and gives up before the person at the tab key does.
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

// onOff is the value of a flag for a switch, on or off.
type onOff bool

func (v *onOff) String() string { return strconv.FormatBool(bool(*v)) }

// Type makes the help show the flag without a value.
func (v *onOff) Type() string { return "bool" }

func (v *onOff) Set(text string) error {
	switch text {
	case "on", "yes":
		*v = true
	case "off", "no":
		*v = false
	default:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("must be on or off")
		}
		*v = onOff(b)
	}
	return nil
}

// SwitchFlag adds a flag for a switch: off with =off, =false or =no, and otherwise on. Without
// the flag nothing changes, so the help names no default.
func SwitchFlag(cmd *cobra.Command, into *bool, name, usage string) {
	*into = true
	flag := cmd.Flags().VarPF((*onOff)(into), name, "", usage)
	flag.NoOptDefVal, flag.DefValue = "true", "false"
	CompleteFlag(cmd, name, "on", "off")
}
