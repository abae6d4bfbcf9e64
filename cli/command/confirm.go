package command

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/terminal"
)

// YesFlag adds --yes to a command that asks before it does something.
func YesFlag(cmd *cobra.Command, into *bool) {
	cmd.Flags().BoolVarP(into, "yes", "y", false, "do not ask")
}

// MustAskOr refuses to start where nobody can be asked and nobody said yes.
func (a *App) MustAskOr(cmd *cobra.Command, yes bool) error {
	t := terminal.New(terminal.Options{In: a.Env.Stdin, Out: a.Env.Stdout, Err: a.Env.Stderr, Lookup: a.Env.Lookup})
	if yes || t.CanAsk() {
		return nil
	}
	return Usage(cmd, "--yes", "is needed where nobody can be asked")
}

// Confirm asks unless the answer is known. Anything but yes is an error in the
// given words.
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
