package desk

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newLend(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lend",
		Short: "Lend books, scan after scan",
		Long: `Lend books, scan after scan, until Ctrl-D: first the card of a reader, then the
barcodes of the books. Another card is for the next reader. Where there is no
card, the whole name of the reader can be typed; where there is no barcode, the
ISBN, the title or an identifier of the book. A title of one word has to be whole.

Each scan is answered with one line: what is lent, to whom and until when, or why
it is not. In a pipe the exit code says whether a scan has failed.

If somebody else has the copy by the records and another one is free, # swaps them:
the other loan gets the free copy. --swap does it without asking. With --several
a reader, such as a teacher, may have any number of copies of a book.`,
		Example: `  library desk lend
  library desk lend < scans.txt
  library desk lend --swap
  library desk lend --several
  printf '%s\n' CARD-7 B-0001 B-0002 | library desk lend --json`,
	}
	how := client.LoanFields{}
	cmd.Flags().BoolVar(&how.Swap, "swap", false, "swap copies that somebody else has by the records with free ones")
	cmd.Flags().BoolVar(&how.Several, "several", false, "lend also to readers who have a copy of the book: a class set")
	a.JSONFlag(cmd, "each answer on a line")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		d := &lendingDesk{session: newSession(a, c), readers: map[string]bool{}, how: how}
		d.Prompt, d.Answer, d.Summary = d.ask, d.choosing(d.scan), d.sum
		return d.run(ctx)
	})
}

// lendingDesk lends books.
type lendingDesk struct {
	session
	reader  *api.Reader // borrows the next books; nil before the first card
	lent    int
	readers map[string]bool // by identifier; each has borrowed something
	how     client.LoanFields
}

func (d *lendingDesk) ask() string {
	if d.reader == nil {
		return "Card: "
	}
	return records.PersonName(d.reader.Person) + ": "
}

func (d *lendingDesk) sum() string {
	return "Lent " + command.Quantity(d.lent, "book") + " to " + command.Quantity(len(d.readers), "reader")
}

// scan answers a scan.
func (d *lendingDesk) scan(ctx context.Context, code string) (answer, error) {
	found, known, err := d.scanned(ctx, code)
	if known {
		d.see(ctx, found)
	}
	switch {
	case err != nil:
		return answer{}, err
	case known && found.Reader != nil:
		return d.lendTo(*found.Reader)
	case d.reader == nil:
		return d.firstReader(ctx, code, known)
	case known && found.Copy != nil:
		loan, err := d.lend(ctx, client.LoanFields{Barcode: code, Swap: d.how.Swap})
		return loan, d.explained(ctx, code, err)
	case known:
		return d.lendBook(ctx, code, found.Books)
	}
	return d.lendNamed(ctx, code)
}

// firstReader finds the reader of the next books by a name, since the code is no card.
func (d *lendingDesk) firstReader(ctx context.Context, code string, isBook bool) (answer, error) {
	switch {
	case isBook:
		return answer{}, command.Fail(command.ExitFailed, "%s is a book. Scan the card of the reader first.", command.Quote(code))
	case !isTyped(code):
		return answer{}, command.Refusal(command.ExitNotFound, library.ErrUnknownCode.Code, "No reader has the card %s. Scan it again, or type the name of the reader.", command.Quote(code))
	}
	reader, err := records.ReaderFinder(d.a, d.c).Only(records.Called).Find(ctx, code)
	if err != nil {
		return answer{}, err
	}
	return d.lendTo(reader)
}

// lendTo makes a person the reader, unless they are switched off. Even then it forgets
// the reader before: the next books are not theirs.
func (d *lendingDesk) lendTo(r api.Reader) (answer, error) {
	d.reader = nil
	if !r.Active {
		return answer{}, command.Refusal(command.ExitConflict, library.ErrUserNotFound.Code,
			"%s is switched off: nothing is lent to them. An admin can switch them on again. Scan the card of another reader.", records.PersonName(r.Person))
	}
	d.reader = &r
	has := "nothing yet"
	if r.Loans > 0 {
		has = command.Quantity(r.Loans, "book")
	}
	if r.Overdue > 0 {
		has += ", " + command.Thousands(r.Overdue) + " overdue"
	}
	text := "Lending to " + records.PersonName(r.Person) + ", who has " + has + "."
	if r.Block != "" {
		text += " Blocked: " + terminal.Clean(r.Block)
	}
	if r.Note != "" {
		text += " Note: " + terminal.Clean(r.Note)
	}
	return answer{Reader: &r, Message: text}, nil
}

func (d *lendingDesk) lend(ctx context.Context, f client.LoanFields) (answer, error) {
	f.User, f.Several = d.reader.Identifier, d.how.Several
	l, err := d.c.Lend(ctx, f)
	if err != nil {
		return answer{}, err
	}
	d.lent++
	d.readers[f.User] = true
	text := "Lent " + command.Quote(l.Book.Title) + " to " + records.PersonName(d.reader.Person)
	if l.DueAt != "" {
		text += " until " + d.k.Day(ctx, l.DueAt) + " (" + d.k.Due(ctx, l.DueAt) + ")"
	}
	if l.Swapped {
		text += "; the reader who had this copy by the records has another one now"
	}
	return answer{Loan: &l, Message: text + "."}, nil
}

// explained says why a copy was not lent. It asks for the book of the copy only then.
func (d *lendingDesk) explained(ctx context.Context, code string, err error) error {
	if _, is := command.AsRefusal(err); !is || command.IsFinal(err) {
		return err
	}
	title := code
	if found, known, _ := d.scanned(ctx, code); known && found.Book != nil {
		title = found.Book.Title
		// This comes first, also for a reader with another copy.
		if found.Copy != nil && found.Copy.State == api.CopyReference {
			return command.Refusal(command.ExitCode(err), library.ErrNotLendable.Code, "This copy of %s is a reference copy: it stays in the library and is not lent.", command.Quote(title))
		}
		if command.HasCode(err, library.ErrLentToAnother.Code) {
			return d.offerSwap(code, *found.Book, found.Copy.Loan)
		}
	}
	return d.refused(title, err)
}

// offerSwap explains the refusal of a copy that somebody else has by the records, and offers to swap it
// with a free one.
func (d *lendingDesk) offerSwap(barcode string, b api.Book, l *api.Loan) error {
	holder := "somebody else"
	if l != nil && l.User != nil {
		holder = records.PersonName(*l.User)
	}
	text := "By the records " + holder + " has this copy of " + command.Quote(b.Title)
	if b.Available == 0 {
		return command.Refusal(command.ExitConflict, library.ErrLentToAnother.Code, "%s, and no other one is free. If it is here, return it first.", text)
	}
	d.offered = []choice{func(ctx context.Context) (answer, error) {
		loan, err := d.lend(ctx, client.LoanFields{Barcode: barcode, Swap: true})
		return loan, d.explained(ctx, barcode, err)
	}}
	return command.Refusal(command.ExitConflict, library.ErrLentToAnother.Code, "%s. Type # to lend it: %s gets another copy in the records.", text, holder)
}

func (d *lendingDesk) refused(title string, err error) error {
	if err == nil {
		return nil
	}
	return records.Matter{Title: title, Reader: records.PersonName(d.reader.Person)}.Explain(err)
}

// lendBook lends a copy of the book with an ISBN, unless the copy on the desk could
// be another one: then the reader would keep a barcode without a loan.
func (d *lendingDesk) lendBook(ctx context.Context, code string, books []api.Book) (answer, error) {
	if len(books) != 1 {
		return answer{}, command.Fail(command.ExitFailed, "%d books have the ISBN %s. Scan the barcode of the copy.", len(books), command.Quote(code))
	}
	b := books[0]
	if b.Available > 1 {
		page, err := d.c.Copies(ctx, b.Identifier)
		if err != nil {
			return answer{}, err
		}
		for _, one := range page.Items {
			if one.Barcode != "" && one.State == api.CopyLendable && one.Loan == nil && one.Hold == nil {
				return answer{}, command.Fail(command.ExitFailed, "%d copies of %s are available. Scan the barcode of the one to be lent.", b.Available, command.Quote(b.Title))
			}
		}
	}
	answer, err := d.lend(ctx, client.LoanFields{Book: b.Identifier})
	return answer, d.refused(b.Title, err)
}

// lendNamed lends the copy or book with an identifier, lends the book with a title,
// or changes the reader if the name is the name of one.
func (d *lendingDesk) lendNamed(ctx context.Context, name string) (answer, error) {
	if id, is := library.ParseID(name); is {
		answer, err := d.lend(ctx, client.LoanFields{Copy: id})
		if command.HasCode(err, library.ErrCopyNotFound.Code) {
			answer, err = d.lend(ctx, client.LoanFields{Book: id})
		}
		if !command.HasCode(err, library.ErrBookNotFound.Code) {
			return answer, d.refused(name, err)
		}
	}
	if isTyped(name) {
		reader, err := records.ReaderFinder(d.a, d.c).Only(records.Called).Find(ctx, name)
		if err == nil {
			return d.lendTo(reader)
		}
		if command.ExitCode(err) != command.ExitNotFound {
			return answer{}, err
		}
	}
	b, err := d.bookNamed(ctx, name)
	if hasRefusal(err, library.ErrUnknownCode.Code) {
		return answer{}, command.Refusal(command.ExitNotFound, library.ErrUnknownCode.Code, "The library knows no barcode, card, ISBN or title %s. Scan it again.", command.Quote(name))
	}
	if command.ExitCode(err) == command.ExitNotFound {
		return answer{}, command.Fail(command.ExitNotFound, "There is no reader and no book %s.", command.Quote(terminal.Clean(name)))
	}
	if err != nil {
		return answer{}, err
	}
	return d.lendBook(ctx, name, []api.Book{b})
}
