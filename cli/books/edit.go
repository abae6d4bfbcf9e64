package books

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
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
		problems.CheckClear(cmd, clear, clearable, flagOf)
		return problems.In(cmd)
	}
	command.CompleteFlag(cmd, "clear", clearable...)
	return records.OnBook(a, cmd, records.Called, func(ctx context.Context, c *client.Client, b api.Book, _ []string) error {
		return editBook(ctx, a, c, b, in, clear)
	})
}

func editBook(ctx context.Context, a *command.App, c *client.Client, found api.Book, in *input, clear []string) error {
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

// changedBook returns the book with the changes of the input, and the draft from the
// editor, if one was used.
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
	f.Identifier, f.Copies = b.Identifier, nil // an edit changes the book, not its copies
	for _, field := range fields {
		if slices.Contains(clear, field.Name) {
			field.copy(&f.BookFields, &api.BookFields{})
		}
	}
	return in.over(f), draft, nil
}

// writeBook opens the editor to write a book. It also returns the draft, the text as
// the editor left it.
func writeBook(ctx context.Context, a *command.App, f client.BookFields, done string) (fields client.BookFields, draft string, err error) {
	giveBack := a.Env.Interrupts.Lend()
	draft, err = a.Term.Edit(ctx, "book.txt", formatBook(f))
	giveBack()
	switch {
	case errors.Is(err, terminal.ErrNobodyThere):
		return f, "", command.Fail(command.ExitUsage, "There is no terminal for an editor. Give the book with --title and other flags, or as a file.")
	case errors.Is(err, terminal.ErrInterrupted):
		return f, "", keepDraft(a, draft, command.Fail(command.ExitInterrupted, "Nothing was %s: interrupted.", done))
	case err != nil:
		return f, "", keepDraft(a, draft, command.Fail(command.ExitFailed, "Nothing was %s: %w.", done, err))
	}
	fields, err = parseBook(draft)
	if err != nil {
		return fields, draft, keepDraft(a, draft, command.Fail(command.ExitFailed, "Nothing was %s: %w.", done, err))
	}
	fields.Identifier = f.Identifier
	if fields.Title == "" {
		err := command.Fail(command.ExitFailed, "Nothing was %s, because there is no title.", done)
		if draft != formatBook(f) {
			err = keepDraft(a, draft, err)
		}
		return fields, draft, err
	}
	return fields, draft, nil
}

// keepDraft saves the draft in a temporary file, so that it is not lost with the error. The
// returned error names the file.
func keepDraft(a *command.App, draft string, err error) error {
	if draft == "" || err == nil {
		return err
	}
	file, failed := os.CreateTemp("", "library-book-*.txt")
	if failed != nil {
		return err
	}
	_, failed = file.WriteString(draft)
	if closed := file.Close(); failed != nil || closed != nil {
		os.Remove(file.Name())
		return err
	}
	return &keptDraft{err, file.Name()}
}

// keptDraft is an error with the file of the saved draft.
type keptDraft struct {
	err  error
	path string
}

func (k *keptDraft) Error() string {
	return k.err.Error() + "\nWhat you wrote is in " + k.path + "; --file reads it again."
}

func (k *keptDraft) Unwrap() error { return k.err }

// InsteadOf returns err with the file of the draft, for an interrupted command.
func (k *keptDraft) InsteadOf(err error) error { return &keptDraft{err, k.path} }
