package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/client"
	"example.org/library/terminal"
)

// bookInput is a book as flags, a file or an editor give it.
type bookInput struct {
	given       func(flag string) bool
	title       string
	authors     []string
	isbn        string
	description string
	editor      bool
	file        string
}

func (in *bookInput) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVarP(&in.title, "title", "t", "", "title")
	f.StringArrayVar(&in.authors, "author", nil, "an author; repeat it for several")
	f.StringVar(&in.isbn, "isbn", "", "ISBN, in any spelling")
	f.StringVarP(&in.description, "description", "d", "", "description")
	f.BoolVarP(&in.editor, "editor", "e", false, "write it in your editor (VISUAL or EDITOR)")
	f.StringVarP(&in.file, "file", "F", "", "read it from a file, or - for standard input: JSON, or the text that the editor shows")
}

func (in *bookInput) anyField() bool {
	return slices.ContainsFunc([]string{"title", "author", "isbn", "description"}, in.given)
}

func (in *bookInput) check() (problems Problems) {
	if in.editor && in.file != "" {
		problems.Add("--editor", "cannot go with a file")
	}
	return problems
}

// over puts the fields that were given as flags over those of a book.
func (in *bookInput) over(f client.BookFields) client.BookFields {
	if in.given("title") {
		f.Title = in.title
	}
	if in.given("author") {
		f.Authors = in.authors
	}
	if in.given("isbn") {
		f.ISBN = in.isbn
	}
	if in.given("description") {
		f.Description = in.description
	}
	return f
}

func newBookAdd(a *app) *cobra.Command {
	in, id, copies := &bookInput{}, "", 1
	cmd := &cobra.Command{
		Use:   "add [FILE]",
		Short: "Add a book",
		Long: `Add a book. Only the title is required.

Without flags the book is written in your editor or, in a pipe, read from
standard input: a JSON object as 'library books show --json' prints it. In a pipe
the identifier of the new book is printed. It has one copy, or as many as --copies
or the JSON object says.`,
		Example: `  library books add --title "Clean Code" --author "Robert C. Martin" --isbn 978-0-13-235088-4
  library books add --title "The Iliad" --author Homer --copies 30
  library books add --editor
  library books show "Clean Code" --json | jq 'del(.identifier)' | library books add -`,
	}
	in.flags(cmd)
	cmd.Flags().IntVar(&copies, "copies", 1, "how many copies of it there are, 0 to 999")
	cmd.Flags().StringVar(&id, "id", "", "identifier, a UUID; by default a new one")
	a.jsonFlag(cmd, "the whole record")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return in.checkNew(cmd, args, id, copies) }
	return a.remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		return a.addBook(ctx, c, in, func(f *client.BookFields) {
			if id != "" {
				f.Identifier = id
			}
			if in.given("copies") {
				f.Copies = &copies
			}
		})
	})
}

// checkNew takes the file from the arguments, and says what is wrong with a
// command line for a new book.
func (in *bookInput) checkNew(cmd *cobra.Command, args []string, id string, copies int) error {
	var problems Problems
	switch {
	case len(args) == 1 && in.given("file"):
		problems.Add(args[0], "cannot go with --file; a book comes from one file")
	case len(args) == 1:
		in.file = args[0]
	}
	problems = append(problems, in.check()...)
	if copies < 0 || copies > library.MaxCopies {
		problems.Add("--copies", fmt.Sprintf("is %d; it must be 0 to %d", copies, library.MaxCopies))
	}
	if _, is := library.ParseID(id); id != "" && !is {
		problems.Add("--id", fmt.Sprintf("is %q; it must be a UUID of 36 characters", id))
	}
	return problems.In(cmd)
}

// addBook adds the book that the person means, with what only a new book has.
func (a *app) addBook(ctx context.Context, c *client.Client, in *bookInput, complete func(*client.BookFields)) error {
	fields, draft, err := a.newBook(ctx, in)
	if err != nil {
		return err
	}
	complete(&fields)
	b, err := c.AddBook(ctx, fields)
	if err != nil {
		return a.keepDraft(draft, a.explain(ctx, c, explainBook(b, err)))
	}
	a.warnOfISBN(b.ISBN)
	if a.json {
		return a.printJSON(b)
	}
	if !a.term.Interactive() {
		_, err := fmt.Fprintln(a.term.Out, terminal.Clean(b.Identifier))
		return err
	}
	a.say("Added %s (%s).", quote(b.Title), terminal.Clean(b.Identifier))
	return nil
}

// warnOfISBN points out an ISBN that was kept and cannot be one, as an import does.
func (a *app) warnOfISBN(isbn string) {
	if w, doubtful := library.CheckISBN(isbn); doubtful {
		a.tell("Warning: %s %s.", quote(isbn), w.Message)
	}
}

// newBook is the book that the person means, and its text if it was written in
// the editor.
func (a *app) newBook(ctx context.Context, in *bookInput) (f client.BookFields, draft string, err error) {
	switch {
	case in.file != "":
		f, err = a.readBook(ctx, in.file)
		return in.over(f), "", err
	case in.editor || !in.anyField() && a.term.CanAsk():
		return a.writeBook(ctx, in.over(f), "added")
	case !in.anyField():
		f, err = a.readBook(ctx, "-")
		return f, "", err
	}
	return in.over(f), "", nil
}
