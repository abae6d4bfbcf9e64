package books

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/internal/isbn"
	"example.org/library/terminal"
)

// input is a book given by flags, a file or an editor.
type input struct {
	given  func(flag string) bool
	fields api.BookFields // given as flags
	editor bool
	file   string

	noLookup bool              // of a new book: fill in nothing from other catalogues
	copy     client.CopyFields // of a new book: its copy
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	for _, field := range fields {
		if text := field.textOf(&in.fields); text != nil {
			f.StringVarP(text, field.flag, field.short, "", field.usage)
		} else if number := field.numberOf(&in.fields); number != nil {
			f.IntVarP(number, field.flag, field.short, 0, field.usage)
		} else {
			f.StringArrayVarP(field.listOf(&in.fields), field.flag, field.short, nil, field.usage)
		}
	}
	f.BoolVarP(&in.editor, "editor", "e", false, "write it in your editor (VISUAL or EDITOR)")
	f.StringVarP(&in.file, "file", "F", "", "read it from a file, or - for standard input: JSON, or the text that the editor shows")
}

func (in *input) anyField() bool {
	return slices.ContainsFunc(fields, func(f field) bool { return in.given(f.flag) })
}

func (in *input) check() (problems command.Problems) {
	if in.editor && in.file != "" {
		problems.Add("--editor", "cannot go with a file")
	}
	return problems
}

// over returns f with the fields given as flags in place of its own.
func (in *input) over(f client.BookFields) client.BookFields {
	for _, field := range fields {
		if in.given(field.flag) {
			field.copy(&f.BookFields, &in.fields)
		}
	}
	return f
}

// addLong explains the three ways to add books.
const addLong = `Add a book. Only the title is required.

With --isbn the library asks other catalogues, if it has any to ask, and what was
not given is filled in from what they know; then the ISBN is enough. --editor
shows it before it is added, and --no-lookup asks nobody.

With --scan the ISBNs of many books are read, one on a line, until Ctrl-D: from a
scanner that types what it reads, or from a file. Each is answered with one line.
A book that the library has already is not added again; --add-copy adds another
copy of it. Other flags hold for all of the new books. In a pipe the exit code
says whether a scan has failed.

Without flags the book is written in your editor or, in a pipe, read from
standard input: a JSON object as 'library books show --json' prints it. In a pipe
the identifier of the new book is printed. It has one copy, or as many as --copies
or the JSON object says. --barcode and --shelf are those of its one copy.`

func newAdd(a *command.App) *cobra.Command {
	in, id, copies, scan := &input{}, "", 1, scanOptions{}
	cmd := &cobra.Command{
		Use:   "add [FILE]",
		Short: "Add a book",
		Long:  addLong,
		Example: `  library books add --title "Clean Code" --author "Robert C. Martin" --isbn 978-0-13-235088-4
  library books add --isbn 978-0-13-235088-4
  library books add --isbn 978-0-13-235088-4 --barcode B-0002 --shelf "B 12"
  library books add --scan --subject "New in 2026" < isbns.txt
  library books show "Clean Code" --json | jq 'del(.identifier)' | library books add -`,
	}
	in.flags(cmd)
	cmd.Flags().IntVar(&copies, "copies", 1, "how many copies of it there are, 0 to 999")
	cmd.Flags().StringVar(&in.copy.Barcode, "barcode", "", "barcode of its copy, as a scanner reads it")
	cmd.Flags().StringVar(&in.copy.Shelf, "shelf", "", "where its copy stands")
	cmd.Flags().StringVar(&id, "id", "", "identifier, a UUID; by default a new one")
	cmd.Flags().BoolVar(&in.noLookup, "no-lookup", false, "do not ask other catalogues about the ISBN")
	scan.flags(cmd)
	a.JSONFlag(cmd, "the whole record, or with --scan each answer on a line,")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		return append(in.checkNew(args, id, copies), scan.check(in, args)...).In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		complete := func(f *client.BookFields) {
			if id != "" {
				f.Identifier = id
			}
			if in.given("copies") {
				f.Copies = &copies
			}
		}
		if scan.wanted {
			return addScanned(ctx, a, c, in, scan, complete)
		}
		return addBook(ctx, a, c, in, complete)
	})
}

// checkNew takes the file from the arguments, and returns the problems of the command
// line for a new book.
func (in *input) checkNew(args []string, id string, copies int) (problems command.Problems) {
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
	for _, flag := range []string{"barcode", "shelf"} {
		if in.given(flag) && in.given("copies") && copies != 1 {
			problems.Add("--"+flag, "is that of one copy; 'library copies add' adds the others")
		}
	}
	problems.CheckID("--id", id)
	return problems
}

// addBook adds the book given by the input. It calls complete to set the fields that only
// a new book has.
func addBook(ctx context.Context, a *command.App, c *client.Client, in *input, complete func(*client.BookFields)) error {
	known, err := in.lookUp(ctx, a, c)
	if err != nil {
		return err
	}
	fields, draft, err := newBook(ctx, a, in, known.book)
	if err != nil {
		return err
	}
	complete(&fields)
	b, err := in.add(ctx, c, fields)
	if err != nil {
		return keepDraft(a, draft, a.Explain(ctx, c, records.ExplainBook(b, err)))
	}
	warnOfISBN(a, b.ISBN)
	if err := a.Added(b, b.Identifier, "Added %s (%s).", command.Quote(b.Title), terminal.Clean(b.Identifier)); err != nil {
		return err
	}
	if !a.JSON && !in.editor {
		known.say(a)
	}
	return nil
}

// add adds the book and, if the input describes it, its copy. If the copy is refused, the
// book is deleted again.
func (in *input) add(ctx context.Context, c *client.Client, fields client.BookFields) (api.Book, error) {
	if in.copy == (client.CopyFields{}) {
		return c.AddBook(ctx, fields)
	}
	fields.Copies = new(int)
	b, err := c.AddBook(ctx, fields)
	if err != nil {
		return b, err
	}
	after, version, err := c.Book(ctx, b.Identifier)
	if err == nil {
		_, err = c.AddCopy(ctx, b.Identifier, in.copy)
	}
	if err == nil {
		after.Copies, after.Available = 1, 1
		return after, nil
	}
	if left := c.DeleteBook(context.WithoutCancel(ctx), b.Identifier, version); left != nil {
		return b, command.Fail(command.ExitFailed, "The book was added without its copy (%w). 'library copies add %s' adds it.", err, terminal.Clean(b.Identifier))
	}
	return b, command.InWords(err, map[string]string{library.ErrBarcodeTaken.Code: records.BarcodeTaken(in.copy.Barcode)})
}

// warnOfISBN warns of an invalid ISBN that was saved all the same, as an import does.
func warnOfISBN(a *command.App, isbn string) {
	if w, doubtful := library.CheckISBN(isbn); doubtful {
		a.Message("Warning: %s %s.", command.Quote(isbn), w.Message)
	}
}

// newBook returns the book given by the input, and the text of it from the editor, if one
// was used. The fields of f, known from other catalogues, are the defaults.
func newBook(ctx context.Context, a *command.App, in *input, f client.BookFields) (_ client.BookFields, draft string, err error) {
	switch {
	case in.file != "":
		f, err = readBook(ctx, a, in.file)
		return in.over(f), "", err
	case in.editor || !in.anyField() && a.Term.CanAsk():
		return writeBook(ctx, a, in.over(f), "added")
	case !in.anyField():
		f, err = readBook(ctx, a, "-")
		return f, "", err
	}
	return in.over(f), "", nil
}

// lookUp asks the sources of the library about the book with the given ISBN. If the book can
// be added without them, it returns no error when they know nothing.
func (in *input) lookUp(ctx context.Context, a *command.App, c *client.Client) (sources, error) {
	number := in.fields.ISBN
	if !in.given("isbn") || in.noLookup || in.file != "" || isbn.Proven(number) == "" {
		return sources{}, nil
	}
	needed := !in.given("title") && !in.editor
	if needed {
		if err := refuseSecond(ctx, c, number); err != nil {
			return sources{}, err
		}
	}
	waiting := a.Term.NewWait("Asking other catalogues")
	answers, err := c.LookUp(ctx, isbn.Proven(number))
	waiting.Done()
	switch refused, is := command.AsRefusal(err); {
	case err == nil:
		return putTogether(answers, in.given), nil
	case !is || command.IsFinal(err):
		return sources{}, err
	case needed && refused.Code == command.CodeUnknownISBN:
		return sources{}, unknownISBN(number)
	case needed && refused.Code == command.CodeLookupOff:
		return sources{}, command.Refusal(command.ExitFailed, refused.Code, "This library asks no other catalogues about an ISBN, so --title is needed.")
	case needed:
		return sources{}, err
	case refused.Code == command.CodeUnknownISBN:
		a.Say("No source knows %s.", number)
	case refused.Status >= http.StatusInternalServerError:
		a.Message("Warning: %s Nothing is filled in.", command.Sentence(refused.Message))
	}
	return sources{}, nil
}

// refuseSecond returns an error if the library already has a book with this ISBN. It is
// called for new books given by nothing but their ISBN.
func refuseSecond(ctx context.Context, c *client.Client, number string) error {
	b, found, err := bookWithISBN(ctx, c, number)
	if err != nil || !found {
		return err
	}
	return command.Fail(command.ExitConflict, "The library has %s already. 'library copies add %s' adds a copy.", command.Quote(b.Title), b.Identifier)
}

// bookWithISBN returns the book of the library with an ISBN, and whether there is one.
func bookWithISBN(ctx context.Context, c *client.Client, number string) (b api.Book, found bool, err error) {
	page, err := c.Books(ctx, client.BookQuery{ISBN: number, Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return b, false, err
	}
	return page.Items[0], true, nil
}
