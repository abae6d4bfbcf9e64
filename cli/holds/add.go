package holds

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newAdd(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "add BOOK...",
		Aliases: []string{"place"},
		Short:   "Reserve books that are on loan",
		Long: `Reserve books of which no copy is available: you are put at the end of the
queue. When it is your turn, a copy is set aside for you for some days, and
'library books borrow' gets it.`,
		Example: `  library holds add "Clean Code"
  library holds add 978-0-13-110362-7 3038627d`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.AnyBook),
	}
	a.JSONFlag(cmd, "the new holds, in an array,")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		finder, k := records.BookFinder(a, c).Only(records.Called), records.NewCalendar(c)
		return command.Each(ctx, a, c, args, "books could not be reserved", func(name string) (api.Hold, error) {
			b, err := finder.Find(ctx, name)
			if err != nil {
				return api.Hold{}, err
			}
			h, err := c.PlaceHold(ctx, b.Identifier)
			if err != nil {
				return h, records.ExplainBook(b, err)
			}
			if a.Term.Interactive() {
				a.Say("You have reserved %s: %s.", command.Quote(b.Title), k.HoldState(ctx, h.State, h.Position, h.Until))
			}
			return h, nil
		})
	})
}
