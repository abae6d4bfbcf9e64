package command

import (
	"context"

	"example.org/library/client"
)

// Each does something with what each name means. What fails does not stop the
// others; the exit code is that of the first. --json prints the records that it led to.
func Each[T any](ctx context.Context, a *App, c *client.Client, names []string, failure string, do func(name string) (T, error)) error {
	done := []T{}
	var first error
	for _, name := range names {
		record, err := do(name)
		if err == nil {
			done = append(done, record)
			continue
		}
		if ctx.Err() == nil {
			err = a.Explain(ctx, c, err)
		}
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || len(names) == 1 {
			break
		}
		a.Env.PrintError(err)
	}
	if a.JSON {
		if err := a.PrintJSON(done); err != nil {
			return err
		}
	}
	if failed := len(names) - len(done); failed > 0 && len(names) > 1 && ctx.Err() == nil {
		return Fail(ExitCode(first), "%d of %d %s.", failed, len(names), failure)
	}
	return first
}
