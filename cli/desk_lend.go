package cli

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newDeskLend(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lend",
		Short: "Lend books, scan after scan",
		Long: `Lend books, scan after scan, until Ctrl-D: first the card of a reader, then the
barcodes of the books. Another card is for the next reader. Where there is no
card, the whole name of the reader can be typed; where there is no barcode, the
ISBN, the title or an identifier of the book. A title of one word has to be whole.

Each scan is answered with one line: what is lent, to whom and until when, or why
it is not. In a pipe the exit code tells if a scan has failed.`,
		Example: `  library desk lend
  library desk lend < scans.txt
  printf '%s\n' CARD-7 B-0001 B-0002 | library desk lend --json`,
	}
	a.jsonFlag(cmd, "each answer on a line")
	return a.remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		d := &lendingDesk{desk: desk{a: a, c: c, k: newCalendar(c)}, readers: map[string]bool{}}
		d.prompt, d.answer, d.summary = d.ask, d.scan, d.sum
		return d.run(ctx)
	})
}

// lendingDesk is where books are lent.
type lendingDesk struct {
	desk
	reader  *api.Reader // to whom; nil before the first card
	lent    int
	readers map[string]bool // who got something
}

func (d *lendingDesk) ask() string {
	if d.reader == nil {
		return "Card: "
	}
	return personName(d.reader.Person) + ": "
}

func (d *lendingDesk) sum() string {
	return d.summarized("Lent " + quantity(d.lent, "book") + " to " + quantity(len(d.readers), "reader"))
}

// scan answers a scan. Nearly all of them are barcodes: these are lent without
// asking first what they are.
func (d *lendingDesk) scan(ctx context.Context, code string) (deskAnswer, error) {
	if d.reader == nil {
		return d.firstCard(ctx, code)
	}
	if library.IsCode(code) {
		loan, err := d.lend(ctx, client.LoanFields{Barcode: code})
		if !hasCode(err, library.ErrCopyNotFound.Code) {
			return loan, d.explained(ctx, code, err)
		}
	}
	found, known, err := d.scanned(ctx, code)
	switch {
	case err != nil:
		return deskAnswer{}, err
	case known && found.Reader != nil:
		return d.lendTo(*found.Reader), nil
	case known:
		return d.lendBook(ctx, code, found.Books)
	}
	return d.lendNamed(ctx, code)
}

// firstCard finds out who the books are for.
func (d *lendingDesk) firstCard(ctx context.Context, code string) (deskAnswer, error) {
	found, known, err := d.scanned(ctx, code)
	switch {
	case err != nil:
		return deskAnswer{}, err
	case known && found.Reader != nil:
		return d.lendTo(*found.Reader), nil
	case known:
		return deskAnswer{}, fail(ExitFailed, "%s is a book. Scan the card of the reader first.", quote(code))
	case !isTyped(code):
		return deskAnswer{}, refusal(ExitNotFound, library.ErrUnknownCode.Code, "No reader has the card %s. Scan it again, or type the name of the reader.", quote(code))
	}
	reader, err := d.a.readerFinder(d.c).only(called).find(ctx, code)
	if err != nil {
		return deskAnswer{}, err
	}
	return d.lendTo(reader), nil
}

// lendTo makes somebody the reader.
func (d *lendingDesk) lendTo(r api.Reader) deskAnswer {
	d.reader = &r
	has := "nothing yet"
	if r.Loans > 0 {
		has = quantity(r.Loans, "book")
	}
	if r.Overdue > 0 {
		has += ", " + thousands(r.Overdue) + " overdue"
	}
	return deskAnswer{Reader: &r, Message: "Lending to " + personName(r.Person) + ", who has " + has + "."}
}

// lend lends to the reader.
func (d *lendingDesk) lend(ctx context.Context, f client.LoanFields) (deskAnswer, error) {
	f.User = d.reader.Identifier
	l, err := d.c.Lend(ctx, f)
	if err != nil {
		return deskAnswer{}, err
	}
	d.lent++
	d.readers[f.User] = true
	text := "Lent " + quote(l.Book.Title) + " to " + personName(d.reader.Person)
	if l.DueAt != "" {
		text += " until " + d.k.day(ctx, l.DueAt) + " (" + d.k.due(ctx, l.DueAt) + ")"
	}
	return deskAnswer{Loan: &l, Message: text + "."}, nil
}

// explained says why a copy was not lent. What it is a copy of is asked only
// then.
func (d *lendingDesk) explained(ctx context.Context, code string, err error) error {
	if _, is := asRefusal(err); !is || isFinal(err) {
		return err
	}
	title := code
	if found, known, _ := d.scanned(ctx, code); known && found.Book != nil {
		title = found.Book.Title
		// This is said first, also to a reader who has another copy.
		if found.Copy != nil && found.Copy.State == api.CopyReference {
			return refusal(exitCode(err), library.ErrNotLendable.Code, "This copy of %s is a reference copy: it stays in the library and is not lent.", quote(title))
		}
	}
	return d.refused(title, err)
}

func (d *lendingDesk) refused(title string, err error) error {
	if err == nil {
		return nil
	}
	return matter{title: title, reader: personName(d.reader.Person)}.explain(err)
}

// lendBook lends a copy of the book with an ISBN, if there is no doubt which one
// lies on the desk: the barcode of another one would stay at the reader's.
func (d *lendingDesk) lendBook(ctx context.Context, code string, books []api.Book) (deskAnswer, error) {
	if len(books) != 1 {
		return deskAnswer{}, fail(ExitFailed, "%d books have the ISBN %s. Scan the barcode of the copy.", len(books), quote(code))
	}
	b := books[0]
	if b.Available > 1 {
		page, err := d.c.Copies(ctx, b.Identifier)
		if err != nil {
			return deskAnswer{}, err
		}
		for _, one := range page.Items {
			if one.Barcode != "" && one.State == api.CopyLendable && one.Loan == nil && one.Hold == nil {
				return deskAnswer{}, fail(ExitFailed, "%d copies of %s are available. Scan the barcode of the one to be lent.", b.Available, quote(b.Title))
			}
		}
	}
	answer, err := d.lend(ctx, client.LoanFields{Book: b.Identifier})
	return answer, d.refused(b.Title, err)
}

// lendNamed lends what an identifier or a title names, or changes the reader if
// it is the name of one.
func (d *lendingDesk) lendNamed(ctx context.Context, name string) (deskAnswer, error) {
	if id, is := library.ParseID(name); is {
		answer, err := d.lend(ctx, client.LoanFields{Copy: id})
		if hasCode(err, library.ErrCopyNotFound.Code) {
			answer, err = d.lend(ctx, client.LoanFields{Book: id})
		}
		if !hasCode(err, library.ErrBookNotFound.Code) {
			return answer, d.refused(name, err)
		}
	}
	if isTyped(name) {
		reader, err := d.a.readerFinder(d.c).only(called).find(ctx, name)
		if err == nil {
			return d.lendTo(reader), nil
		}
		if exitCode(err) != ExitNotFound {
			return deskAnswer{}, err
		}
	}
	b, err := d.bookNamed(ctx, name)
	if hasRefusal(err, library.ErrUnknownCode.Code) {
		return deskAnswer{}, refusal(ExitNotFound, library.ErrUnknownCode.Code, "The library knows no barcode, card, ISBN or title %s. Scan it again.", quote(name))
	}
	if exitCode(err) == ExitNotFound {
		return deskAnswer{}, fail(ExitNotFound, "There is no reader and no book %s.", quote(terminal.Clean(name)))
	}
	if err != nil {
		return deskAnswer{}, err
	}
	return d.lendBook(ctx, name, []api.Book{b})
}
