package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
)

var clearable = []string{"isbn", "description", "authors"}

func newBookEdit(a *app) *cobra.Command {
	in, clear := &bookInput{}, []string{}
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
	}
	in.flags(cmd)
	cmd.Flags().StringSliceVar(&clear, "clear", nil, "empty a field: isbn, description or authors")
	a.jsonFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := in.check()
		for _, field := range clear {
			if !slices.Contains(clearable, field) {
				problems.AddChoice("--clear", field, clearable)
			} else if flag := strings.TrimSuffix(field, "s"); in.given(flag) {
				problems.Add("--clear "+field, "cannot go with --"+flag)
			}
		}
		return problems.In(cmd)
	}
	a.remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return a.editBook(ctx, c, args[0], in, clear)
	})
	completeFlag(cmd, "clear", clearable...)
	cmd.ValidArgsFunction = a.completeBooks(oneArgument, anyBook)
	return cmd
}

func (a *app) editBook(ctx context.Context, c *client.Client, name string, in *bookInput, clear []string) error {
	found, err := a.bookFinder(c).only(called).find(ctx, name)
	if err != nil {
		return err
	}
	before, version, err := c.Book(ctx, found.Identifier)
	if err != nil {
		return explainBook(found, err)
	}
	fields, draft, err := a.changedBook(ctx, before, in, clear)
	if err != nil {
		return err
	}
	after := before
	if sameFields(fields, client.FieldsOf(before)) {
		a.say("Nothing changed in %s.", quote(before.Title))
	} else {
		if after, err = c.EditBook(ctx, before.Identifier, fields, version); err != nil {
			return a.keepDraft(draft, a.explain(ctx, c, explainBook(before, err)))
		}
		a.say("Changed %s.", quote(after.Title))
		if after.ISBN != before.ISBN {
			a.warnOfISBN(after.ISBN)
		}
	}
	if a.json {
		return a.printJSON(after)
	}
	return nil
}

// changedBook is the book as the person wants it.
func (a *app) changedBook(ctx context.Context, b api.Book, in *bookInput, clear []string) (f client.BookFields, draft string, err error) {
	f = client.FieldsOf(b)
	switch {
	case in.file != "":
		f, err = a.readBook(ctx, in.file)
		if f.Identifier != "" && !strings.EqualFold(f.Identifier, b.Identifier) {
			return f, "", fail(ExitFailed, "What is in the file is another book: its identifier is %s.", quote(f.Identifier))
		}
	case in.editor || !in.anyField() && len(clear) == 0:
		f, draft, err = a.writeBook(ctx, f, "changed")
	}
	if err != nil {
		return f, draft, err
	}
	f.Identifier, f.Copies = b.Identifier, nil // an edit is about the book, not its copies
	for _, field := range clear {
		switch field {
		case "isbn":
			f.ISBN = ""
		case "description":
			f.Description = ""
		case "authors":
			f.Authors = nil
		}
	}
	return in.over(f), draft, nil
}

func sameFields(f, g client.BookFields) bool {
	return f.Title == g.Title && f.ISBN == g.ISBN && f.Description == g.Description && slices.Equal(f.Authors, g.Authors)
}
