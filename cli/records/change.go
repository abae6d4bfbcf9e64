package records

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
)

// Change is a command that does something with loans or holds, one after the other.
type Change[T any] struct {
	Scope   *Scope
	Failure string // of those with which it cannot be done
	Finder  func(ctx context.Context, a *command.App, c *client.Client, userID string) *Finder[T]
	Do      func(ctx context.Context, c *client.Client, record T) (T, error)
	Explain func(ctx context.Context, c *client.Client, k *Calendar, record T, err error) error
	Say     func(ctx context.Context, k *Calendar, after T) string
}

// Command completes the command, which has its texts and flags already.
func (ch Change[T]) Command(a *command.App, cmd *cobra.Command) *cobra.Command {
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		user, _, err := ch.Scope.Find(ctx, a, c)
		if err != nil {
			return err
		}
		finder, k := ch.Finder(ctx, a, c, user), NewCalendar(c)
		return command.Each(ctx, a, c, args, ch.Failure, func(name string) (T, error) {
			record, err := finder.Find(ctx, name)
			if err != nil {
				return record, err
			}
			after, err := ch.Do(ctx, c, record)
			if err != nil {
				return after, ch.Explain(ctx, c, k, record, err)
			}
			if a.Term.Interactive() {
				a.Say("%s", ch.Say(ctx, k, after))
			}
			return after, nil
		})
	})
}
