// Package loans is 'library loans': a file for each command.
package loans

import (
	"cmp"
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library loans'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
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
  library loans return "Clean Code" --user "Bruce Wayne"
  library loans calendar > due.ics`,
	},
		newList(a), newShow(a), newRenew(a), newReturn(a), newCalendar(a))
}

// Words for when a loan is due that is not.
const (
	neverDue = "no due date"
	returned = "returned"
)

// loanDue is when a loan is due, in words.
func loanDue(ctx context.Context, k *records.Calendar, l api.Loan) string {
	switch {
	case l.ReturnedAt != "":
		return returned
	case l.DueAt == "":
		return neverDue
	}
	return k.Due(ctx, l.DueAt)
}

// barcodeOf is the barcode of a copy, "" if there is none.
func barcodeOf(ref *api.CopyRef) string {
	if ref == nil {
		return ""
	}
	return ref.Barcode
}

// tableLoans shows loans at a terminal.
func tableLoans(ctx context.Context, t *terminal.Terminal, c *client.Client, k *records.Calendar, loans []api.Loan) error {
	last, rows := loanRows(ctx, k, loans)
	return records.PrintLending(ctx, t, c, last, rows)
}

// loanRows are the rows of a table of loans, and what its last column is called.
func loanRows(ctx context.Context, k *records.Calendar, loans []api.Loan) (last string, rows []records.LendingRow) {
	last, rows = "due", make([]records.LendingRow, len(loans))
	if len(loans) > 0 && loans[0].ReturnedAt != "" {
		last = returned
	}
	for i, l := range loans {
		rows[i] = records.LendingRow{ID: l.Identifier, Title: l.Book.Title, User: l.User, Last: terminal.Cell{Text: loanDue(ctx, k, l)}}
		switch {
		case l.ReturnedAt != "":
			rows[i].Last.Text = k.Day(ctx, l.ReturnedAt)
		case l.Overdue:
			rows[i].Last.Style = terminal.Red
		}
	}
	return last, rows
}

// lineLoans writes loans for programs, one on a line.
func lineLoans(ctx context.Context, t *terminal.Terminal, k *records.Calendar, loans iter.Seq2[api.Loan, error]) error {
	table := t.NewTable(make([]terminal.Column, 6)...)
	for l, err := range loans {
		if err != nil {
			return err
		}
		day := k.Date(ctx, cmp.Or(l.ReturnedAt, l.DueAt))
		if err := table.Row(l.Identifier, l.Book.Title, records.NameOf(l.User), barcodeOf(l.Copy), day, loanDue(ctx, k, l)); err != nil {
			return err
		}
	}
	return table.Flush()
}

// showLoans shows loans: as a table at a terminal, as lines in a pipe.
func showLoans(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
	return records.Show(ctx, t, c, loans, lineLoans, tableLoans)
}

// explainLoan says what a refusal about a loan means. Staff speak of somebody
// else's.
func explainLoan(ctx context.Context, c *client.Client, k *records.Calendar, l api.Loan, err error) error {
	if _, is := command.AsRefusal(err); !is {
		return err
	}
	m := records.Matter{Title: l.Book.Title}
	if l.DueAt != "" {
		m.Due = k.IsDue(ctx, l.DueAt)
	}
	if l.RenewableFrom != "" {
		m.From = k.Day(ctx, l.RenewableFrom)
	}
	if l.User != nil && l.User.Identifier != records.Viewer(ctx, c)() {
		m.Reader = records.PersonName(*l.User)
	}
	return m.Explain(err)
}
