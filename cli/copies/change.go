package copies

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/api"
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
	return records.OnBook(a, cmd, records.Called, func(ctx context.Context, c *client.Client, b api.Book, _ []string) error {
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

var clearable = []string{"barcode", "shelf", "note"}

func newEdit(a *command.App) *cobra.Command {
	in, book, clear := &input{}, "", []string{}
	cmd := &cobra.Command{
		Use:   "edit COPY",
		Short: "Change a copy of a book",
		Long: `Change a copy of a book. What is not named stays as it is.

A copy that is lent can be marked lost or damaged: the loan goes on, and when it
has ended the copy is not lent again.`,
		Example: `  library copies edit "Clean Code" --barcode B-0001 --shelf "B 12"
  library copies edit B-0001 --state lost
  library copies edit 4f1d --book "Clean Code" --clear note`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	in.flags(cmd)
	cmd.Flags().StringSliceVar(&clear, "clear", nil, "empty a field: barcode, shelf or note")
	command.CompleteFlag(cmd, "clear", clearable...)
	copyBookFlag(a, cmd, &book)
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return in.checkEdit(cmd, clear) }
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, version, err := findCopy(ctx, a, c, args[0], book, false)
		if err != nil {
			return err
		}
		fields := in.over(client.CopyFieldsOf(found.Copy))
		for _, name := range clear {
			*fieldsOf(&fields)[name] = ""
		}
		after, err := c.EditCopy(ctx, found.Identifier, fields, version)
		if err != nil {
			return explainCopy(found, fields.Barcode, err)
		}
		found.Copy = after
		return a.Changed(after, "Changed %s.", found.Name())
	})
}

func (in *input) checkEdit(cmd *cobra.Command, clear []string) error {
	problems := in.check()
	problems.CheckClear(cmd, clear, clearable, func(field string) string { return field })
	if len(clear) == 0 && !slices.ContainsFunc([]string{"barcode", "shelf", "note", "state"}, in.given) {
		problems.Add("", "nothing to change; say what with --barcode, --shelf, --note, --state or --clear")
	}
	return problems.In(cmd)
}

func newRemove(a *command.App) *cobra.Command {
	yes, book := false, ""
	cmd := &cobra.Command{
		Use:     "remove COPY",
		Aliases: []string{"rm", "delete"},
		Short:   "Remove a copy of a book",
		Long: `Remove a copy that nobody has borrowed. It asks before it does, unless you say
--yes; then the barcode, the identifier or the whole title has to be given. If the
copy is set aside for somebody, they are the first in the queue again.`,
		Example: `  library copies remove B-0002
  library copies remove 4f1d --book "Clean Code"
  library copies remove B-0002 --yes`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
		PreRunE:           func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	copyBookFlag(a, cmd, &book)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, version, err := findCopy(ctx, a, c, args[0], book, yes)
		if err != nil {
			return err
		}
		if err := a.Confirm(ctx, yes, "Remove "+found.Name()+"?", "Nothing was removed."); err != nil {
			return err
		}
		if err := c.DeleteCopy(ctx, found.Identifier, version); err != nil {
			return explainCopy(found, "", err)
		}
		a.Say("Removed %s.", found.Name())
		return nil
	})
}
