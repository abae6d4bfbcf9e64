package records

import (
	"context"
	"iter"
	"net/http"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// BookCopy is a copy together with its book.
type BookCopy struct {
	api.Copy
	Book api.Book
}

// Name names the copy as a person does, as far as its barcode and title are known.
func (s BookCopy) Name() string {
	name := "the copy"
	switch {
	case s.Barcode != "":
		name += " " + terminal.Clean(s.Barcode)
	case s.Book.Title == "":
		name += " " + terminal.Clean(s.Identifier)
	}
	if s.Book.Title != "" {
		name += " of " + command.Quote(s.Book.Title)
	}
	return name
}

// BarcodeTaken returns the advice about a barcode of another copy.
func BarcodeTaken(barcode string) string {
	return "Another copy has the barcode " + command.Quote(barcode) + ". 'library copies edit " + terminal.Clean(barcode) + "' changes that one."
}

// CopiesOf reads the copies of a book.
func CopiesOf(ctx context.Context, c *client.Client, b api.Book) iter.Seq2[BookCopy, error] {
	return func(yield func(BookCopy, error) bool) {
		page, err := c.Copies(ctx, b.Identifier)
		if err != nil {
			yield(BookCopy{}, err)
			return
		}
		for _, found := range page.Items {
			if !yield(BookCopy{found, b}, nil) {
				return
			}
		}
	}
}

// BarcodesFlag adds --barcode to a command about copies in somebody's hand.
func BarcodesFlag(cmd *cobra.Command, into *[]string, usage string) {
	cmd.Flags().StringArrayVar(into, "barcode", nil, usage)
	command.CompleteFlag(cmd, "barcode") // with nothing: no file
}

// OneOf returns the error of a command that needs either arguments or --barcode.
func OneOf(cmd *cobra.Command, args, barcodes []string, argument string) error {
	switch {
	case len(args) == 0 && len(barcodes) == 0:
		return command.Usage(cmd, argument, "is missing, or --barcode; usage: "+cmd.UseLine())
	case len(args) > 0 && len(barcodes) > 0:
		return command.Usage(cmd, "--barcode", "cannot go with a "+argument)
	}
	return nil
}

// CopyWithBarcode returns a copy and its book.
func CopyWithBarcode(ctx context.Context, c *client.Client, barcode string) (BookCopy, error) {
	if !library.IsCode(barcode) {
		return BookCopy{}, unknownBarcode(barcode)
	}
	found, err := c.Code(ctx, barcode)
	switch {
	case command.HasCode(err, library.ErrUnknownCode.Code), err == nil && (found.Copy == nil || found.Book == nil):
		return BookCopy{}, unknownBarcode(barcode)
	case err != nil:
		return BookCopy{}, err
	}
	return BookCopy{Copy: *found.Copy, Book: *found.Book}, nil
}

func unknownBarcode(barcode string) error {
	return command.Refusal(command.ExitNotFound, library.ErrUnknownCode.Code, "No copy has the barcode %s. Scan it again.", command.Quote(barcode))
}

// ExplainCopy explains a refusal to borrow or return a copy by its barcode. It asks for the book of the
// copy only then.
func ExplainCopy(ctx context.Context, c *client.Client, barcode string, err error) error {
	refused, is := command.AsRefusal(err)
	switch {
	case !is || command.IsFinal(err):
		return err
	case command.HasCode(err, library.ErrCopyNotFound.Code, library.ErrUnknownCode.Code):
		return unknownBarcode(barcode)
	case refused.Status == http.StatusBadRequest && len(refused.Details) > 0 && refused.Details[0].Field == "user":
		return command.NotA(library.RoleUser) // a curator, who would have to lend to somebody
	case refused.Status != http.StatusConflict:
		return err
	}
	m := Matter{Title: barcode}
	if found, failed := CopyWithBarcode(ctx, c, barcode); failed == nil {
		m.Title = found.Book.Title
	}
	return command.InWords(m.Explain(err), map[string]string{
		library.ErrBookBorrowed.Code:    command.Quote(m.Title) + " is on loan to somebody else by the records. Take it to the desk.",
		library.ErrLentToAnother.Code:   "Somebody else has this copy of " + command.Quote(m.Title) + " by the records. Take it to the desk.",
		library.ErrCopyNotBorrowed.Code: "Nobody has this copy of " + command.Quote(m.Title) + " by the records. Take it to the desk.",
		library.ErrNotYours.Code:        "Somebody else has this copy of " + command.Quote(m.Title) + " by the records. Take it to the desk.",
	})
}
