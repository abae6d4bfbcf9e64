package books

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newBorrow(a *command.App) *cobra.Command {
	var barcodes []string
	cmd := &cobra.Command{
		Use:   "borrow [BOOK...]",
		Short: "Borrow books",
		Long: `Borrow books. A book that you already have stays as it is.

With --barcode you borrow the very copies in your hand. At a terminal you are
asked for the copy of a book that has several: scan or type its barcode, or press
Enter if you do not have it yet.`,
		Example: `  library books borrow "Clean Code"
  library books borrow 978-0-13-110362-7 3038627d
  library books borrow --barcode B-0001
  library books borrow --barcode B-0001 --barcode B-0002 --json`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.FreeBook),
	}
	records.BarcodesFlag(cmd, &barcodes, "borrow the copy with this barcode; may be repeated")
	a.JSONFlag(cmd, "the books as they are then, or with --barcode the loans, in an array,")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		return records.OneOf(cmd, args, barcodes, "BOOK")
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		if len(barcodes) > 0 {
			return borrowCopies(ctx, a, c, barcodes)
		}
		return lend(ctx, a, c, args, lending{
			find: records.BookFinder(a, c).Only(records.Called).Find, done: "You have %s now.", failed: "borrowed",
			do: func(ctx context.Context, b api.Book) (api.Book, error) { return borrow(ctx, a, c, b) },
		})
	})
}

// borrow borrows a book. If it has several copies, it asks a person for the one in their hand.
func borrow(ctx context.Context, a *command.App, c *client.Client, b api.Book) (api.Book, error) {
	isThere := b.Available > 0 || b.Hold != nil && b.Hold.State == api.HoldReady
	if b.Copies < 2 || b.Loan != nil || !isThere || !a.Term.CanAsk() || !a.Term.Interactive() {
		return c.Borrow(ctx, b.Identifier)
	}
	barcode, err := command.Await(ctx, func() (string, error) {
		return a.Term.Ask(command.Quote(b.Title) + " has several copies. Scan or type the barcode of yours; Enter if you do not have it yet: ")
	})
	if err != nil {
		return b, command.Fail(command.ExitFailed, "Nothing was borrowed.")
	}
	if barcode = strings.TrimSpace(barcode); barcode == "" {
		return c.Borrow(ctx, b.Identifier)
	}
	found, err := records.CopyWithBarcode(ctx, c, barcode)
	switch {
	case err != nil:
		return b, err
	case found.Book.Identifier != b.Identifier:
		return b, command.Refusal(command.ExitConflict, library.ErrOtherBook.Code, "%s is a copy of %s. Nothing was borrowed.", command.Quote(barcode), command.Quote(found.Book.Title))
	}
	if _, err := c.Lend(ctx, client.LoanFields{Copy: found.Identifier}); err != nil {
		return b, err
	}
	b, _, err = c.Book(ctx, b.Identifier)
	return b, err
}

func borrowCopies(ctx context.Context, a *command.App, c *client.Client, barcodes []string) error {
	k := records.NewCalendar(c)
	return command.Each(ctx, a, c, barcodes, "copies could not be borrowed", func(barcode string) (api.Loan, error) {
		l, err := c.Lend(ctx, client.LoanFields{Barcode: barcode})
		if err != nil {
			return l, records.ExplainCopy(ctx, c, barcode, err)
		}
		a.Say("You have %s now.", command.Quote(l.Book.Title))
		if l.DueAt != "" && a.Term.Interactive() {
			a.Say("It is %s.", k.IsDue(ctx, l.DueAt))
		}
		return l, nil
	})
}

func newReturn(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "return BOOK...",
		Short: "Return books",
		Long: `Return books that you have borrowed. 'library loans return --barcode' returns the
very copies in your hand.`,
		Example: `  library books return "Clean Code"
  library books return 978-0-13-110362-7 3038627d`,
		ValidArgsFunction: records.CompleteBooks(a, command.AnyNumber, records.OwnBook),
	}
	a.JSONFlag(cmd, "the books as they are then, in an array,")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return lend(ctx, a, c, args, lending{
			find: ownFirst(a, c), done: "You have returned %s.", failed: "returned",
			do: func(ctx context.Context, b api.Book) (api.Book, error) { return c.Return(ctx, b.Identifier) },
		})
	})
}

// ownFirst returns a function that finds a book among the caller's loans and, only if
// it is not there, among all books. A book with exactly this name wins over a loan
// with a similar one: the caller may have returned the book before.
func ownFirst(a *command.App, c *client.Client) func(context.Context, string) (api.Book, error) {
	return func(ctx context.Context, name string) (api.Book, error) {
		mine, err := c.MyBooks(ctx)
		if err != nil {
			return api.Book{}, err
		}
		var b api.Book
		own, all := records.BookFinderAmong(a, mine.Items), records.BookFinder(a, c)
		for _, f := range []*records.Finder[api.Book]{own.Only(records.Exactly), all.Only(records.Exactly), own.Only(records.Called), all.Only(records.Called)} {
			if b, err = f.Find(ctx, name); command.ExitCode(err) != command.ExitNotFound {
				break
			}
		}
		return b, err
	}
}

// lending is an action on books, one after the other.
type lending struct {
	find   func(context.Context, string) (api.Book, error)
	do     func(context.Context, api.Book) (api.Book, error)
	done   string // message about a book
	failed string
}

// lend borrows or returns books.
func lend(ctx context.Context, a *command.App, c *client.Client, names []string, l lending) error {
	k := records.NewCalendar(c)
	return command.Each(ctx, a, c, names, "books could not be "+l.failed, func(name string) (api.Book, error) {
		b, err := l.find(ctx, name)
		if err != nil {
			return b, err
		}
		after, err := l.do(ctx, b)
		if err != nil {
			return after, records.ExplainBook(b, err)
		}
		a.Say(l.done, command.Quote(b.Title))
		if after.Loan != nil && after.Loan.DueAt != "" && a.Term.Interactive() {
			a.Say("It is %s.", k.IsDue(ctx, after.Loan.DueAt))
		}
		return after, nil
	})
}
