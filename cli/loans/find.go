package loans

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

// completeLoans offers open loans by the title of their book.
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
