package books

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newEdit(a *command.App) *cobra.Command {
	in, clear := &input{}, []string{}
	cmd := &cobra.Command{
		Use:   "edit BOOK",
		Short: "Change a book",
		Long: `Change a book. What is not named stays as it is; --author replaces all authors.
Without flags the book opens in your editor.

If somebody else changes the book at the same time, nothing is overwritten.`,
		Example: `  library books edit "Clean Code" --isbn 978-0-13-235088-4
  library books edit f9bf70d6 --author "Robert C. Martin" --author "Dean Wampler"
  library books edit "Clean Code" --clear description
  library books edit "Clean Code"`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	in.flags(cmd)
	cmd.Flags().StringSliceVar(&clear, "clear", nil, "empty a field: "+strings.Join(clearable[:len(clearable)-1], ", ")+" or "+clearable[len(clearable)-1])
	a.JSONFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := in.check()
		for _, name := range clear {
			if !slices.Contains(clearable, name) {
				problems.AddChoice("--clear", name, clearable)
			} else if flag := flagOf(name); in.given(flag) {
				problems.Add("--clear "+name, "cannot go with --"+flag)
			}
		}
		return problems.In(cmd)
	}
	command.CompleteFlag(cmd, "clear", clearable...)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return editBook(ctx, a, c, args[0], in, clear)
	})
}

func editBook(ctx context.Context, a *command.App, c *client.Client, name string, in *input, clear []string) error {
	found, err := records.BookFinder(a, c).Only(records.Called).Find(ctx, name)
	if err != nil {
		return err
	}
	before, version, err := c.Book(ctx, found.Identifier)
	if err != nil {
		return records.ExplainBook(found, err)
	}
	fields, draft, err := changedBook(ctx, a, before, in, clear)
	if err != nil {
		return err
	}
	after := before
	if sameFields(fields.BookFields, before.BookFields) {
		a.Say("Nothing changed in %s.", command.Quote(before.Title))
	} else {
		if after, err = c.EditBook(ctx, before.Identifier, fields, version); err != nil {
			return keepDraft(a, draft, a.Explain(ctx, c, records.ExplainBook(before, err)))
		}
		a.Say("Changed %s.", command.Quote(after.Title))
		if after.ISBN != before.ISBN {
			warnOfISBN(a, after.ISBN)
		}
	}
	if a.JSON {
		return a.PrintJSON(after)
	}
	return nil
}

// changedBook is the book as the person wants it.
func changedBook(ctx context.Context, a *command.App, b api.Book, in *input, clear []string) (f client.BookFields, draft string, err error) {
	f = client.FieldsOf(b)
	switch {
	case in.file != "":
		f, err = readBook(ctx, a, in.file)
		if f.Identifier != "" && !strings.EqualFold(f.Identifier, b.Identifier) {
			return f, "", command.Fail(command.ExitFailed, "What is in the file is another book: its identifier is %s.", command.Quote(f.Identifier))
		}
	case in.editor || !in.anyField() && len(clear) == 0:
		f, draft, err = writeBook(ctx, a, f, "changed")
	}
	if err != nil {
		return f, draft, err
	}
	f.Identifier, f.Copies = b.Identifier, nil // an edit is about the book, not its copies
	for _, field := range fields {
		if slices.Contains(clear, field.Name) {
			field.copy(&f.BookFields, &api.BookFields{})
		}
	}
	return in.over(f), draft, nil
}
