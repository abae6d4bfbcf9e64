// Package copies implements 'library copies'.
package copies

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library copies'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "copies",
		Aliases: []string{"copy"},
		Short:   "Look after the copies of books",
		Long: `Look after the copies of books: what stands on the shelf and is lent. Curators
and admins see them, curators change them.

A copy is named by its barcode or its identifier, or by its book if that has no
other copy. With --book it is also named by the beginning of its identifier (four
characters or more).`,
	},
		newList(a), newAll(a), newAdd(a), newEdit(a), newRemove(a))
}

// copyStates are what a copy can be.
var copyStates = []string{api.CopyLendable, api.CopyReference, api.CopyDamaged, api.CopyLost, api.CopyMissing}

// input is a copy as flags give it.
type input struct {
	given  func(flag string) bool
	wanted client.CopyFields
}

func (in *input) flags(cmd *cobra.Command) {
	in.given = cmd.Flags().Changed
	f := cmd.Flags()
	f.StringVar(&in.wanted.Barcode, "barcode", "", "barcode, as a scanner reads it")
	f.StringVar(&in.wanted.Shelf, "shelf", "", "where it stands")
	f.StringVar(&in.wanted.Note, "note", "", "what else there is to know of it")
	f.StringVar(&in.wanted.State, "state", "", "lendable, reference (stays in the library), damaged, lost or missing; only lendable ones are lent")
	command.CompleteFlag(cmd, "state", copyStates...)
}

func (in *input) check() (problems command.Problems) {
	if in.given("state") && !slices.Contains(copyStates, in.wanted.State) {
		problems.AddChoice("--state", in.wanted.State, copyStates)
	}
	return problems
}

// fieldsOf are where a copy has what can be given of it, by flag.
func fieldsOf(f *client.CopyFields) map[string]*string {
	return map[string]*string{"barcode": &f.Barcode, "shelf": &f.Shelf, "note": &f.Note, "state": &f.State}
}

func (in *input) over(f client.CopyFields) client.CopyFields {
	wanted := fieldsOf(&in.wanted)
	for flag, field := range fieldsOf(&f) {
		if in.given(flag) {
			*field = *wanted[flag]
		}
	}
	return f
}

// whereabouts says where a copy is: with a reader, set aside or at its place.
func whereabouts(ctx context.Context, k *records.Calendar, c api.Copy) string {
	switch {
	case c.Loan != nil && c.Loan.DueAt != "":
		return "lent to " + records.NameOf(c.Loan.User) + ", " + k.IsDue(ctx, c.Loan.DueAt)
	case c.Loan != nil:
		return "lent to " + records.NameOf(c.Loan.User)
	case c.Hold != nil:
		return "set" + strings.TrimPrefix(records.SetAside(ctx, k, *c.Hold), "Set")
	case c.State == api.CopyLendable:
		return "available"
	}
	return ""
}

// tableCopies shows copies, at a terminal and in a pipe.
func tableCopies(ctx context.Context, t *terminal.Terminal, k *records.Calendar, copies []api.Copy) error {
	if !t.Interactive() {
		return command.Lines(t, command.Sequence(copies), func(c api.Copy) []string {
			return []string{c.Identifier, c.Barcode, c.Shelf, c.State, whereabouts(ctx, k, c), c.Note}
		})
	}
	table := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "barcode", Style: terminal.Bold},
		terminal.Column{Title: "shelf", Give: 3}, terminal.Column{Title: "state"}, terminal.Column{Title: "where", Give: 1})
	for i, id := range command.IDs(t, copies, func(c api.Copy) string { return c.Identifier }) {
		c := copies[i]
		state := terminal.Cell{Text: c.State}
		if c.State != api.CopyLendable {
			state.Style = terminal.Yellow
		}
		where := terminal.Cell{Text: whereabouts(ctx, k, c)}
		if c.Loan != nil && c.Loan.Overdue {
			where.Style = terminal.Red
		}
		table.Cells(terminal.Cell{Text: id}, terminal.Cell{Text: c.Barcode}, terminal.Cell{Text: c.Shelf}, state, where)
	}
	return table.Flush()
}

func explainCopy(s records.BookCopy, barcode string, err error) error {
	return records.ExplainBook(s.Book, command.InWords(err, map[string]string{
		library.ErrBarcodeTaken.Code:  records.BarcodeTaken(barcode),
		library.ErrCopyOnLoan.Code:    command.Capital(s.Name()) + " is lent, so it must be returned first. A copy that does not come back is marked with --state lost.",
		library.ErrTooManyCopies.Code: command.Quote(s.Book.Title) + " has as many copies as a book can have. 'library copies remove' makes room.",
		library.ErrOutdated.Code:      "Somebody else has changed " + s.Name() + " in the meantime, so nothing was done. 'library copies list " + command.Quote(s.Book.Title) + "' shows how it is now.",
		library.ErrCopyNotFound.Code:  command.Capital(s.Name()) + " is not there any more; somebody has removed it.",
	}))
}

func newList(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "list BOOK",
		Aliases: []string{"ls"},
		Short:   "List the copies of a book",
		Long: `List the copies of a book in the order in which they were added, with where they
stand and who has them.

In a pipe there is one line for each copy, with tabs between identifier, barcode,
shelf, state, where it is, and note.`,
		Example: `  library copies list "Clean Code"
  library copies list 978-0-13-235088-4 --json`,
		ValidArgsFunction: records.CompleteBooks(a, command.OneArgument, records.AnyBook),
	}
	a.JSONFlag(cmd, "whole records")
	return records.OnBook(a, cmd, records.Anywhere, func(ctx context.Context, c *client.Client, b api.Book, _ []string) error {
		page, err := c.Copies(ctx, b.Identifier)
		if err != nil {
			return records.ExplainBook(b, err)
		}
		if a.JSON {
			return command.PrintArray(a, command.Sequence(page.Items))
		}
		if err := tableCopies(ctx, a.Term, records.NewCalendar(c), page.Items); err != nil {
			return err
		}
		if len(page.Items) == 0 {
			a.Say("%s has no copies. 'library copies add' adds one.", command.Quote(b.Title))
		}
		return nil
	})
}

// copyFinder finds copies: by barcode, by identifier, or by the name of a book.
// If a book is given, it finds one of that.
func copyFinder(ctx context.Context, a *command.App, c *client.Client, among *api.Book) *records.Finder[records.BookCopy] {
	return &records.Finder[records.BookCopy]{
		Noun:      "copy",
		Precision: records.Called,
		Hint:      "'library copies list BOOK' shows those of a book.",
		Sure:      "the barcode or the identifier",
		ID:        func(s records.BookCopy) string { return s.Identifier },
		Names:     func(s records.BookCopy) []string { return []string{s.Book.Title, s.Barcode} },
		Get:       func(ctx context.Context, id string) (records.BookCopy, error) { return copyOrBook(ctx, c, id) },
		Number:    func(ctx context.Context, name string) ([]records.BookCopy, error) { return copiesByCode(ctx, c, name) },
		Search: func(ctx context.Context, words string) iter.Seq2[records.BookCopy, error] {
			if among != nil {
				return command.Sequence[records.BookCopy](nil)
			}
			return copiesOfBooks(ctx, c, words)
		},
		Near: func(ctx context.Context, _ string) iter.Seq2[records.BookCopy, error] {
			if among == nil {
				return command.Sequence[records.BookCopy](nil)
			}
			return records.CopiesOf(ctx, c, *among)
		},
		Offer: func(choices []records.BookCopy) error {
			copies := make([]api.Copy, len(choices))
			for i, s := range choices {
				copies[i] = s.Copy
			}
			return tableCopies(ctx, a.Screen(), records.NewCalendar(c), copies)
		},
	}
}

// copyOrBook finds a copy by its identifier, or by that of a book that has no other.
func copyOrBook(ctx context.Context, c *client.Client, id string) (records.BookCopy, error) {
	found, _, err := c.Copy(ctx, id)
	if !command.HasCode(err, library.ErrCopyNotFound.Code) {
		return records.BookCopy{Copy: found}, err
	}
	page, failed := c.Copies(ctx, id)
	if failed != nil || len(page.Items) != 1 {
		return records.BookCopy{}, err
	}
	return records.BookCopy{Copy: page.Items[0]}, nil
}

// copiesByCode finds the copy with a barcode, or the copies of the books with an ISBN.
func copiesByCode(ctx context.Context, c *client.Client, name string) ([]records.BookCopy, error) {
	isbn, isISBN := records.AsISBN(name)
	switch {
	case library.IsCode(name):
	case isISBN && library.IsCode(isbn):
		name = isbn
	default:
		return nil, nil
	}
	code, err := c.Code(ctx, name)
	switch {
	case command.HasCode(err, library.ErrUnknownCode.Code):
		return nil, nil
	case err != nil:
		return nil, err
	case code.Copy != nil && code.Book != nil:
		return []records.BookCopy{{Copy: *code.Copy, Book: *code.Book}}, nil
	}
	return command.Collect(copiesOf(ctx, c, code.Books))
}

func copiesOf(ctx context.Context, c *client.Client, books []api.Book) iter.Seq2[records.BookCopy, error] {
	return records.OfBooks(books, func(b api.Book) iter.Seq2[records.BookCopy, error] { return records.CopiesOf(ctx, c, b) })
}

func copiesOfBooks(ctx context.Context, c *client.Client, words string) iter.Seq2[records.BookCopy, error] {
	return func(yield func(records.BookCopy, error) bool) {
		books, err := c.Books(ctx, client.BookQuery{Words: words, Limit: records.MaxChoices})
		if err != nil {
			yield(records.BookCopy{}, err)
			return
		}
		copiesOf(ctx, c, books.Items)(yield)
	}
}

func copyBookFlag(a *command.App, cmd *cobra.Command, into *string) {
	cmd.Flags().StringVarP(into, "book", "b", "", "the book that it is a copy of; COPY can be the beginning of an identifier then")
	_ = cmd.RegisterFlagCompletionFunc("book", records.CompleteBooks(a, command.AnyNumber, records.AnyBook)) // fails only without the flag
}

// findCopy finds a copy and its version. Where nobody is asked, the name has to be exact.
func findCopy(ctx context.Context, a *command.App, c *client.Client, name, book string, unasked bool) (records.BookCopy, client.Version, error) {
	var among *api.Book
	if book != "" {
		b, err := records.BookFinder(a, c).Only(records.Called).Find(ctx, book)
		if err != nil {
			return records.BookCopy{}, "", err
		}
		among = &b
	}
	finder := copyFinder(ctx, a, c, among)
	found, err := finder.FindUnasked(ctx, name, unasked)
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
