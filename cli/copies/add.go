package copies

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newAdd(a *command.App) *cobra.Command {
	in := &input{}
	cmd := &cobra.Command{
		Use:   "add BOOK",
		Short: "Add a copy of a book",
		Long: `Add a copy of a book. If somebody waits for the book, the copy is set aside for
them. In a pipe the identifier of the new copy is printed.`,
		Example: `  library copies add "Clean Code" --barcode B-0002 --shelf "B 12"
  library copies add 978-0-13-235088-4 --state reference`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	in.flags(cmd)
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return in.check().In(cmd) }
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := records.BookFinder(a, c).Only(records.Called).Find(ctx, args[0])
		if err != nil {
			return err
		}
		added, err := c.AddCopy(ctx, b.Identifier, in.over(client.CopyFields{}))
		if err != nil {
			return explainCopy(records.BookCopy{Book: b}, in.wanted.Barcode, err)
		}
		err = a.Added(added, added.Identifier, "Added a copy of %s (%s).", command.Quote(b.Title), added.Identifier)
		if added.Hold != nil && a.Term.Interactive() && !a.JSON {
			a.Say("%s.", records.SetAside(ctx, records.NewCalendar(c), *added.Hold))
		}
		return err
	})
}
