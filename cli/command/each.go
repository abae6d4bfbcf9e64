package command

import (
	"context"

	"example.org/library/client"
)

// EachName does something with what each name means. What fails does not stop
// the others; the exit code is that of the first.
func (a *App) EachName(ctx context.Context, c *client.Client, names []string, failure string, do func(name string) error) error {
	var first error
	failed := 0
	for _, name := range names {
		err := do(name)
		if err == nil {
			continue
		}
		if ctx.Err() != nil {
			return err
		}
		err = a.Explain(ctx, c, err)
		if len(names) == 1 {
			return err
		}
		a.Env.PrintError(err)
		if failed++; first == nil {
			first = err
		}
	}
	if first != nil {
		return Fail(ExitCode(first), "%d of %d %s.", failed, len(names), failure)
	}
	return nil
}
