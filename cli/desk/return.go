package desk

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newReturn(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "return",
		Short: "Take books back, scan after scan",
		Long: `Take books back, scan after scan, until Ctrl-D: the barcodes of the copies. Where
there is no barcode, the ISBN, the title or an identifier does if only one copy of
the book is on loan.

Each scan is answered with one line that says what to do with the copy: set it
aside for somebody, or put it back on its shelf. In a pipe the exit code says
whether a scan has failed.

If nobody has the copy by the records, the answer names the readers who have other
copies of the book, the oldest loan first: # and a number ends the loan of one. A
loan that is said to be over ends with #1 as of that day, and with #2 as of today.`,
		Example: `  library desk return
  library desk return < scans.txt
  library desk return --json < scans.txt`,
	}
	a.JSONFlag(cmd, "each answer on a line")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		d := &returnDesk{session: newSession(a, c)}
		d.Prompt = func() string { return "Return: " }
		d.Answer, d.Summary = d.choosing(d.scan), d.sum
		return d.run(ctx)
	})
}

// returnDesk takes books back.
type returnDesk struct {
	session
	returned, setAside int
}

func (d *returnDesk) sum() string {
	text := "Took " + command.Quantity(d.returned, "book") + " back"
	switch {
	case d.setAside == 1 && d.returned == 1:
		return text + "; it is set aside"
	case d.setAside > 0:
		text += ", " + command.Thousands(d.setAside) + " of them to set aside"
	}
	return text
}

func (d *returnDesk) scan(ctx context.Context, code string) (answer, error) {
	found, err := d.find(ctx, code)
	if err != nil {
		return answer{}, err
	}
	lent := api.Loan{}
	if found.Loan != nil {
		lent = *found.Loan
	}
	if lent.ClaimedAt != "" {
		return d.offerClaim(ctx, found, lent)
	}
	return d.takeBack(ctx, found, lent, client.ReturnFields{})
}

// offerClaim asks for the end of a loan that is said to have ended.
func (d *returnDesk) offerClaim(ctx context.Context, found records.BookCopy, lent api.Loan) (answer, error) {
	for _, asClaimed := range []bool{true, false} {
		d.offered = append(d.offered, func(ctx context.Context) (answer, error) {
			return d.takeBack(ctx, found, lent, client.ReturnFields{AsClaimed: asClaimed})
		})
	}
	return answer{}, command.Refusal(command.ExitConflict, library.ErrClaimed.Code, "%s is said to be back since %s. Type #1 to end the loan as of that day, #2 as of today.",
		command.Quote(found.Book.Title), d.k.Day(ctx, lent.ClaimedAt))
}

// takeBack ends a loan with a copy: the copy's own, or the one named by how.
func (d *returnDesk) takeBack(ctx context.Context, found records.BookCopy, lent api.Loan, how client.ReturnFields) (answer, error) {
	how.Copy = found.Identifier
	l, err := d.c.ReturnCopy(ctx, how)
	if refused, is := command.AsRefusal(err); is && refused.Code == library.ErrCopyNotBorrowed.Code {
		return d.offerLoans(ctx, found, refused.Candidates)
	}
	if err != nil {
		return answer{}, records.Matter{Title: found.Book.Title}.Explain(err)
	}
	d.returned++
	if l.Hold != nil {
		d.setAside++
	}
	text := command.Quote(found.Book.Title) + " is back"
	if name := records.NameOf(lent.User); name != "" {
		text += " from " + name
	}
	if lent.Overdue {
		text += ", " + d.k.Due(ctx, lent.DueAt)
	}
	return answer{Loan: &l, Message: text + ". " + d.next(ctx, found.Copy, l.Hold)}, nil
}

// offerLoans explains the refusal of a copy that nobody has by the records, and offers to end one of the
// loans of its book with it.
func (d *returnDesk) offerLoans(ctx context.Context, found records.BookCopy, candidates []api.Loan) (answer, error) {
	text := command.Quote(found.Book.Title) + " is not on loan. "
	if since := found.MissingSince; since != "" {
		text = command.Quote(found.Book.Title) + " was missing since " + d.k.Day(ctx, since) + ". "
	}
	if seen, err := d.c.SeeCopy(ctx, found.Identifier); err == nil {
		found.Copy = seen
	}
	named := make([]string, len(candidates))
	for i, l := range candidates {
		d.offered = append(d.offered, func(ctx context.Context) (answer, error) {
			return d.takeBack(ctx, found, l, client.ReturnFields{Loan: l.Identifier})
		})
		named[i] = fmt.Sprintf("#%d %s", i+1, records.NameOf(l.User))
		if l.DueAt != "" {
			named[i] += " (" + d.k.IsDue(ctx, l.DueAt) + ")"
		}
	}
	if len(named) > 0 {
		text += "If it was swapped, choose who has brought it: " + strings.Join(named, ", ") + ". Otherwise: "
	}
	return answer{Candidates: candidates}, command.Refusal(command.ExitConflict, library.ErrCopyNotBorrowed.Code, "%s%s", text, d.next(ctx, found.Copy, found.Hold))
}

// next says where to put a copy that is not on loan.
func (d *returnDesk) next(ctx context.Context, c api.Copy, h *api.Hold) string {
	shelf := "Put it back on its shelf."
	if c.Shelf != "" {
		shelf = "Put it back: " + terminal.Clean(c.Shelf) + "."
	}
	switch {
	case h != nil:
		return records.SetAside(ctx, d.k, *h) + "."
	case c.State == api.CopyDamaged:
		return "It is marked as damaged. Keep it off the shelves."
	case c.State == api.CopyLost:
		return "It was marked as lost; 'library copies edit' with --state lendable puts it back into circulation. " + shelf
	case c.State == api.CopyReference:
		return "It is a reference copy and is not lent. " + shelf
	}
	return shelf
}

// find returns the scanned copy, with its loan.
func (d *returnDesk) find(ctx context.Context, code string) (records.BookCopy, error) {
	found, known, err := d.scanned(ctx, code)
	switch {
	case err != nil:
		return records.BookCopy{}, err
	case known && found.Reader != nil:
		return records.BookCopy{}, command.Fail(command.ExitFailed, "%s is the card of %s. Scan the barcode of the book.", command.Quote(code), records.PersonName(found.Reader.Person))
	case known && found.Copy != nil && found.Book != nil:
		return records.BookCopy{Copy: *found.Copy, Book: *found.Book}, nil
	case known:
		return d.onlyLent(ctx, code, found.Books)
	}
	if id, is := library.ParseID(code); is {
		if s, err := d.byIdentifier(ctx, id); !command.HasCode(err, library.ErrCopyNotFound.Code, library.ErrBookNotFound.Code) {
			return s, err
		}
	}
	b, err := d.bookNamed(ctx, code)
	if hasRefusal(err, library.ErrUnknownCode.Code) {
		return records.BookCopy{}, command.Refusal(command.ExitNotFound, library.ErrUnknownCode.Code, "The library knows no barcode, ISBN or title %s. Scan it again.", command.Quote(code))
	}
	if err != nil {
		return records.BookCopy{}, err
	}
	return d.onlyLent(ctx, code, []api.Book{b})
}

// byIdentifier returns the copy with an identifier, or the only lent copy of a book.
func (d *returnDesk) byIdentifier(ctx context.Context, id string) (records.BookCopy, error) {
	found, _, err := d.c.Copy(ctx, id)
	if err == nil {
		s := records.BookCopy{Copy: found, Book: api.Book{BookFields: api.BookFields{Title: id}}}
		if found.Loan != nil {
			s.Book.Title = found.Loan.Book.Title
		}
		return s, nil
	}
	if !command.HasCode(err, library.ErrCopyNotFound.Code) {
		return records.BookCopy{}, err
	}
	b, _, err := d.c.Book(ctx, id)
	if err != nil {
		return records.BookCopy{}, err
	}
	return d.onlyLent(ctx, id, []api.Book{b})
}

// onlyLent returns the lent copy of some books, if there is only one: an ISBN does
// not say whose copy has come back.
func (d *returnDesk) onlyLent(ctx context.Context, code string, books []api.Book) (records.BookCopy, error) {
	var lent []records.BookCopy
	for _, b := range books {
		copies, err := command.Collect(records.CopiesOf(ctx, d.c, b))
		if err != nil {
			return records.BookCopy{}, err
		}
		for _, s := range copies {
			if s.Loan != nil {
				lent = append(lent, s)
			}
		}
	}
	switch len(lent) {
	case 1:
		return lent[0], nil
	case 0:
		return records.BookCopy{}, command.Refusal(command.ExitConflict, library.ErrNotOpen.Code, "%s is not on loan.", command.Quote(books[0].Title))
	}
	return records.BookCopy{}, command.Fail(command.ExitFailed, "%d copies of %s are on loan. Scan the barcode of the one that is back.", len(lent), command.Quote(code))
}
