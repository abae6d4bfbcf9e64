package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/terminal"
)

// yesFlag adds --yes to a command that asks before it does something.
func yesFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVarP(into, "yes", "y", false, "do not ask")
}

// mustAskOr refuses to start where nobody can be asked and nobody said yes.
func (a *app) mustAskOr(cmd *cobra.Command, yes bool) error {
	t := terminal.New(terminal.Options{In: a.env.Stdin, Out: a.env.Stdout, Err: a.env.Stderr, Lookup: a.env.Lookup})
	if yes || t.CanAsk() {
		return nil
	}
	return usage(cmd, "--yes", "is needed where nobody can be asked")
}

// confirm asks unless the answer is known. Anything but yes is an error in the
// given words.
func (a *app) confirm(ctx context.Context, yes bool, question, otherwise string) error {
	if yes {
		return nil
	}
	answered := make(chan bool, 1)
	go func() {
		agreed, err := a.term.Confirm(question)
		answered <- agreed && err == nil
	}()
	select {
	case <-ctx.Done(): // the goroutine waits for a line until the program ends
		return Interrupted(ctx, "")
	case agreed := <-answered:
		if !agreed {
			return fail(ExitFailed, "%s", otherwise)
		}
		return nil
	}
}

// cleanList is a list of untrusted names for a screen.
func cleanList(names []string) string { return terminal.Clean(strings.Join(names, ", ")) }
