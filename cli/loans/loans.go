// Package loans implements 'library loans'.
package loans

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
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
	},
		newList(a), newShow(a), newRenew(a), newReturn(a), newClaim(a), newLost(a), newMove(a), newCalendar(a))
}

// Words in place of a due date.
const (
	neverDue = "no due date"
	claimed  = "said to be back"
	returned = "returned"
)

// loanDue is when a loan is due, in words.
func loanDue(ctx context.Context, k *records.Calendar, l api.Loan) string {
	switch {
	case l.ReturnedAt != "":
		return returned
	case l.ClaimedAt != "":
		return claimed
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

func tableLoans(ctx context.Context, t *terminal.Terminal, c *client.Client, k *records.Calendar, loans []api.Loan) error {
	last, rows := loanRows(ctx, k, loans)
	return records.PrintLending(ctx, t, c, last, rows)
}

// loanRows returns the rows of a table of loans, and the title of its last column.
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

// loanCells returns the cells of the line for programs.
func loanCells(ctx context.Context, k *records.Calendar, l api.Loan) []string {
	day := k.Date(ctx, cmp.Or(l.ReturnedAt, l.DueAt))
	return []string{l.Identifier, l.Book.Title, records.NameOf(l.User), barcodeOf(l.Copy), day, loanDue(ctx, k, l)}
}

// showLoans shows loans: as a table at a terminal, as lines in a pipe.
func showLoans(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
	return records.Show(ctx, t, c, loans, loanCells, tableLoans)
}

// explainLoan explains a refusal about a loan. Staff speak of somebody else's.
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

// filters choose loans by state.
var filters = []records.Filter{
	{Flag: "overdue", Letter: "o", Usage: "only loans that are overdue", State: api.LoansOverdue, None: "Nothing is overdue."},
	{Flag: "claimed", Usage: "only loans of readers who say to have brought the copy back", State: api.LoansClaimed, None: "Nothing is said to be back."},
	{Flag: "returned", Letter: "r", Usage: "list loans that have ended instead", State: api.LoansReturned, None: "No loan has ended."},
}

const aboutLists = `List loans: what is lent now, the earliest due date first, or with --returned
what came back, the latest first. Readers see their own loans, curators and
admins everybody's.

In a pipe there is one line for each loan, with tabs between identifier, title,
reader, barcode, the day on which it is due or came back, and that in words.

With --by-group each class or department has a table, and in a pipe a page.`

func newList(a *command.App) *cobra.Command {
	var cmd *cobra.Command
	var from, to string
	group, byGroup := "", false
	query := func(q records.ListQuery) client.LoanQuery {
		return client.LoanQuery{State: q.State, User: q.User, Book: q.Book, Group: group, From: from, To: to}
	}
	list := records.List[api.Loan]{
		Nouns: "loans", None: "Nothing is lent at the moment.",
		Filters: filters,
		Flags: func(cmd *cobra.Command) {
			cmd.Flags().StringVar(&group, "group", "", "only loans of people of this class or department")
			cmd.Flags().StringVar(&from, "from", "", "with --returned: only loans returned on this day or later, such as 2026-01-01")
			cmd.Flags().StringVar(&to, "to", "", "with --returned: only loans returned on this day or earlier")
			cmd.Flags().BoolVar(&byGroup, "by-group", false, "a table for each class or department, each on a page of its own when printed")
		},
		Pages: func(ctx context.Context, c *client.Client, q records.ListQuery) iter.Seq2[client.Page[api.Loan], error] {
			if byGroup && !cmd.Flags().Changed("limit") {
				q.Limit = 0 // no page is to lack somebody
			}
			return c.LoanPages(ctx, query(q), q.Limit)
		},
		Sheet: func(q records.ListQuery) client.SheetQuery { return query(q) },
		Show: func(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
			if byGroup {
				return printByGroup(ctx, t, c, loans)
			}
			return showLoans(ctx, t, c, loans)
		},
	}
	cmd = &cobra.Command{
		Short: "List loans",
		Long:  aboutLists,
		Example: `  library loans list
  library loans list --claimed
  library loans list --overdue --by-group | lp
  library loans list --user "Bruce Wayne" --returned
  library loans list --returned --from 2026-01-01 --to 2026-06-30 --csv > returned.csv
  library loans list --book "Clean Code" --json`,
	}
	return list.Command(a, cmd)
}

// formFeed begins a new page at a printer.
const formFeed = "\f"

// printByGroup prints a table of loans for each group, people without one last.
func printByGroup(ctx context.Context, t *terminal.Terminal, c *client.Client, loans iter.Seq2[api.Loan, error]) error {
	all, err := command.Collect(loans)
	if err != nil {
		return err
	}
	between, k := "\n", records.NewCalendar(c)
	if !t.Interactive() {
		t, between = t.Paper(), formFeed
	}
	slices.SortStableFunc(all, func(a, b api.Loan) int {
		return cmp.Or(records.CompareGroups(groupOf(a), groupOf(b)), cmp.Compare(readerKey(a), readerKey(b)))
	})
	for len(all) > 0 {
		group := groupOf(all[0])
		next := slices.IndexFunc(all, func(l api.Loan) bool { return records.CompareGroups(groupOf(l), group) != 0 })
		if next < 0 {
			next = len(all)
		}
		fmt.Fprintf(t.Out, "%s\n", t.Paint(terminal.Bold, cmp.Or(terminal.Clean(group), "Without a group")))
		last, rows := loanRows(ctx, k, all[:next])
		if err := records.PrintLendingOf(t, true, last, rows); err != nil {
			return err
		}
		if all = all[next:]; len(all) > 0 {
			fmt.Fprint(t.Out, between)
		}
	}
	return nil
}

func groupOf(l api.Loan) string {
	if l.User == nil {
		return ""
	}
	return l.User.Group
}

func readerKey(l api.Loan) string {
	if l.User == nil {
		return ""
	}
	return library.GroupKey(l.User.LastName + "\x00" + l.User.FirstName)
}

func completeLoans(a *command.App, many bool) cobra.CompletionFunc {
	return a.Complete(many, func(ctx context.Context, c *client.Client, args []string, typed string) ([]cobra.Completion, error) {
		page, err := c.Loans(ctx, client.LoanQuery{Limit: command.MaxCompletions})
		k := records.NewCalendar(c)
		return records.CompleteTitles(page.Items, args, typed, func(l api.Loan) (string, string) { return l.Book.Title, loanDue(ctx, k, l) }), err
	})
}

// loanFinder finds open loans of somebody, or of anybody if userID is "".
func loanFinder(ctx context.Context, a *command.App, c *client.Client, userID string) *records.Finder[api.Loan] {
	return records.BookRecords[api.Loan]{
		Client: c, Noun: "loan", Missing: library.ErrLoanNotFound.Code, Get: c.Loan,
		ID:    func(l api.Loan) string { return l.Identifier },
		Title: func(l api.Loan) string { return l.Book.Title },
		First: func(ctx context.Context, bookID string, limit int) (client.Page[api.Loan], error) {
			return c.Loans(ctx, client.LoanQuery{User: userID, Book: bookID, Limit: limit})
		},
		All: func(ctx context.Context, bookID string) iter.Seq2[api.Loan, error] {
			return c.AllLoans(ctx, client.LoanQuery{User: userID, Book: bookID})
		},
		Offer: func(choices []api.Loan) error { return showLoans(ctx, a.Screen(), c, command.Sequence(choices)) },
	}.Finder()
}
