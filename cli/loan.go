package cli

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/client"
	"example.org/library/terminal"
)

func newLoans(a *app) *cobra.Command {
	return group(&cobra.Command{
		Use:     "loans",
		Aliases: []string{"loan"},
		Short:   "See what is lent and until when, renew and return it",
		Long: `See what is lent and until when, renew and return it. Readers see their own
loans, curators and admins everybody's.

A loan is named by its identifier or the beginning of it (four characters or
more), or by its book: a title, an ISBN or an identifier. If several people have
the book, --user says whose loan is meant.`,
		Example: `  library loans list
  library loans list --overdue
  library loans renew "Clean Code"
  library loans return "Clean Code" --user "Bruce Wayne"`,
	},
		newLoanList(a), newLoanShow(a), newLoanRenew(a), newLoanReturn(a))
}

// lendingScope narrows loans and holds to a person and a book.
type lendingScope struct{ user, book string }

func (s *lendingScope) flags(a *app, cmd *cobra.Command, nouns string) {
	s.userFlag(a, cmd, nouns)
	cmd.Flags().StringVarP(&s.book, "book", "b", "", "only "+nouns+" of this book: title, ISBN or identifier")
	_ = cmd.RegisterFlagCompletionFunc("book", a.completeBooks(anyNumber, anyBook)) // fails only without the flag
}

func (s *lendingScope) userFlag(a *app, cmd *cobra.Command, nouns string) {
	cmd.Flags().StringVarP(&s.user, "user", "u", "", "only "+nouns+" of this person: name, e-mail address, card or identifier")
	_ = cmd.RegisterFlagCompletionFunc("user", completeReaders(a)) // fails only without the flag
}

// find turns the names into identifiers.
func (s *lendingScope) find(ctx context.Context, a *app, c *client.Client) (userID, bookID string, err error) {
	if s.user != "" {
		reader, err := a.readerFinder(c).find(ctx, s.user)
		if err != nil {
			return "", "", err
		}
		userID = reader.Identifier
	}
	if s.book != "" {
		book, err := a.bookFinder(c).find(ctx, s.book)
		if err != nil {
			return "", "", err
		}
		bookID = book.Identifier
	}
	return userID, bookID, nil
}

// Words for when a loan is due that is not.
const (
	neverDue = "no due date"
	returned = "returned"
)

// loanDue is when a loan is due, in words.
func (k *calendar) loanDue(ctx context.Context, l api.Loan) string {
	switch {
	case l.ReturnedAt != "":
		return returned
	case l.DueAt == "":
		return neverDue
	}
	return k.due(ctx, l.DueAt)
}

// barcodeOf is the barcode of a copy, "" if there is none.
func barcodeOf(ref *api.CopyRef) string {
	if ref == nil {
		return ""
	}
	return ref.Barcode
}

// tableLoans shows loans at a terminal.
func tableLoans(ctx context.Context, t *terminal.Terminal, c *client.Client, k *calendar, loans []api.Loan) error {
	last := "due"
	if len(loans) > 0 && loans[0].ReturnedAt != "" {
		last = returned
	}
	rows := make([]lendingRow, len(loans))
	for i, l := range loans {
		rows[i] = lendingRow{id: l.Identifier, title: l.Book.Title, user: l.User, last: terminal.Cell{Text: k.loanDue(ctx, l)}}
		switch {
		case l.ReturnedAt != "":
			rows[i].last.Text = k.day(ctx, l.ReturnedAt)
		case l.Overdue:
			rows[i].last.Style = terminal.Red
		}
	}
	return tableLending(ctx, t, c, last, rows)
}

// lineLoans writes loans for programs, one on a line.
func lineLoans(ctx context.Context, t *terminal.Terminal, k *calendar, loans iter.Seq2[api.Loan, error]) error {
	table := t.NewTable(make([]terminal.Column, 6)...)
	for l, err := range loans {
		if err != nil {
			return err
		}
		day := l.DueAt
		if l.ReturnedAt != "" {
			day = l.ReturnedAt
		}
		if day != "" {
			day = k.date(ctx, day)
		}
		if err := table.Row(l.Identifier, l.Book.Title, nameOf(l.User), barcodeOf(l.Copy), day, k.loanDue(ctx, l)); err != nil {
			return err
		}
	}
	return table.Flush()
}

// showLoans shows loans to whoever is there.
func showLoans(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
	k := newCalendar(c)
	if !t.Interactive() {
		return lineLoans(ctx, t, k, loans)
	}
	all, err := collect(loans)
	if err != nil {
		return err
	}
	return tableLoans(ctx, t, c, k, all)
}

// explainLoan says what a refusal about a loan means. Staff speak of somebody
// else's.
func explainLoan(ctx context.Context, c *client.Client, k *calendar, l api.Loan, err error) error {
	if _, is := asRefusal(err); !is {
		return err
	}
	m := matter{title: l.Book.Title}
	if l.DueAt != "" {
		m.due = k.isDue(ctx, l.DueAt)
	}
	if l.RenewableFrom != "" {
		m.from = k.day(ctx, l.RenewableFrom)
	}
	if l.User != nil && l.User.Identifier != newViewer(c).identifier(ctx) {
		m.reader = personName(*l.User)
	}
	return m.explain(err)
}
