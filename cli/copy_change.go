package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newCopyAdd(a *app) *cobra.Command {
	in := &copyInput{}
	cmd := &cobra.Command{
		Use:   "add BOOK",
		Short: "Add a copy of a book",
		Long: `Add a copy of a book. If somebody waits for the book, the copy is set aside for
them. In a pipe the identifier of the new copy is printed.`,
		Example: `  library copies add "Clean Code" --barcode B-0002 --shelf "B 12"
  library copies add 978-0-13-235088-4 --state reference`,
	}
	in.flags(cmd)
	a.jsonFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return in.check().In(cmd) }
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		b, err := a.bookFinder(c).only(called).find(ctx, args[0])
		if err != nil {
			return err
		}
		added, err := c.AddCopy(ctx, b.Identifier, in.over(client.CopyFields{}))
		if err != nil {
			return explainCopy(shelved{book: b}, in.barcode, err)
		}
		switch {
		case a.json:
			return a.printJSON(added)
		case !a.term.Interactive():
			_, err := fmt.Fprintln(a.term.Out, terminal.Clean(added.Identifier))
			return err
		}
		a.say("Added a copy of %s (%s).", quote(b.Title), added.Identifier)
		if added.Hold != nil {
			a.say("%s.", setAside(ctx, newCalendar(c), *added.Hold))
		}
		return nil
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}

var clearableOfCopy = []string{"barcode", "shelf", "note"}

func newCopyEdit(a *app) *cobra.Command {
	in, book, clear := &copyInput{}, "", []string{}
	cmd := &cobra.Command{
		Use:   "edit COPY",
		Short: "Change a copy of a book",
		Long: `Change a copy of a book. What is not named stays as it is.

A copy that is lent can be marked lost or damaged: the loan goes on, and when it
has ended the copy is not lent again.`,
		Example: `  library copies edit "Clean Code" --barcode B-0001 --shelf "B 12"
  library copies edit B-0001 --state lost
  library copies edit 4f1d --book "Clean Code" --clear note`,
	}
	in.flags(cmd)
	cmd.Flags().StringSliceVar(&clear, "clear", nil, "empty a field: barcode, shelf or note")
	completeFlag(cmd, "clear", clearableOfCopy...)
	copyBookFlag(a, cmd, &book)
	a.jsonFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return in.checkEdit(cmd, clear) }
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, version, err := a.findCopy(ctx, c, args[0], book, false)
		if err != nil {
			return err
		}
		fields := cleared(in.over(client.CopyFieldsOf(found.Copy)), clear)
		after, err := c.EditCopy(ctx, found.Identifier, fields, version)
		if err != nil {
			return explainCopy(found, fields.Barcode, err)
		}
		if a.json {
			return a.printJSON(after)
		}
		found.Copy = after
		a.say("Changed %s.", found.name())
		return nil
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}

// cleared is a copy of which some fields are emptied.
func cleared(f client.CopyFields, fields []string) client.CopyFields {
	for _, field := range fields {
		switch field {
		case "barcode":
			f.Barcode = ""
		case "shelf":
			f.Shelf = ""
		case "note":
			f.Note = ""
		}
	}
	return f
}

func (in *copyInput) checkEdit(cmd *cobra.Command, clear []string) error {
	problems := in.check()
	for _, field := range clear {
		switch {
		case !slices.Contains(clearableOfCopy, field):
			problems.AddChoice("--clear", field, clearableOfCopy)
		case in.given(field):
			problems.Add("--clear "+field, "cannot go with --"+field)
		}
	}
	if len(clear) == 0 && !slices.ContainsFunc([]string{"barcode", "shelf", "note", "state"}, in.given) {
		problems.Add("", "nothing to change; say what with --barcode, --shelf, --note, --state or --clear")
	}
	return problems.In(cmd)
}

func newCopyRemove(a *app) *cobra.Command {
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
		PreRunE: func(cmd *cobra.Command, _ []string) error { return a.mustAskOr(cmd, yes) },
	}
	yesFlag(cmd, &yes)
	copyBookFlag(a, cmd, &book)
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		found, version, err := a.findCopy(ctx, c, args[0], book, yes)
		if err != nil {
			return err
		}
		if err := a.confirm(ctx, yes, "Remove "+found.name()+"?", "Nothing was removed."); err != nil {
			return err
		}
		if err := c.DeleteCopy(ctx, found.Identifier, version); err != nil {
			return explainCopy(found, "", err)
		}
		a.say("Removed %s.", found.name())
		return nil
	})
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}

// copyBookFlag says of which book a copy is one.
func copyBookFlag(a *app, cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "book", "b", "", "the book that it is a copy of; COPY can be the beginning of an identifier then")
	_ = cmd.RegisterFlagCompletionFunc("book", a.completeBooks(anyNumber, anyBook)) // fails only without the flag
}

// findCopy finds a copy and its version. Where nobody is asked, the name has to
// be exact.
func (a *app) findCopy(ctx context.Context, c *client.Client, name, book string, unasked bool) (shelved, client.Version, error) {
	var among *api.Book
	if book != "" {
		b, err := a.bookFinder(c).only(called).find(ctx, book)
		if err != nil {
			return shelved{}, "", err
		}
		among = &b
	}
	finder := a.copyFinder(ctx, c, among)
	found, err := finder.findUnasked(ctx, name, unasked)
	if err != nil {
		return found, "", err
	}
	now, version, err := c.Copy(ctx, found.Identifier)
	if err != nil {
		return found, "", explainCopy(found, "", err)
	}
	found.Copy = now
	return found, version, nil
}
