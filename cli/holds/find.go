package holds

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

// completeHolds offers active holds by the title of their book.
func completeHolds(a *command.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return a.Complete(cmd.Context(), func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			page, err := c.Holds(ctx, client.HoldQuery{Limit: command.MaxCompletions})
			k := records.NewCalendar(c)
			return records.CompleteTitles(page.Items, args, typed, func(h api.Hold) (string, string) {
				return h.Book.Title, k.HoldState(ctx, h.State, h.Position, h.Until)
			}), err
		})
	}
}

// holdFinder finds active holds of somebody, or of anybody if userID is "".
func holdFinder(ctx context.Context, a *command.App, c *client.Client, userID string) *records.Finder[api.Hold] {
	return records.BookRecords[api.Hold]{
		Client: c, Noun: "hold", Missing: library.ErrHoldNotFound.Code, Get: c.Hold,
		ID:    func(h api.Hold) string { return h.Identifier },
		Title: func(h api.Hold) string { return h.Book.Title },
		First: func(ctx context.Context, bookID string, limit int) (client.Page[api.Hold], error) {
			return c.Holds(ctx, client.HoldQuery{User: userID, Book: bookID, Limit: limit})
		},
		All: func(ctx context.Context, bookID string) iter.Seq2[api.Hold, error] {
			return c.AllHolds(ctx, client.HoldQuery{User: userID, Book: bookID})
		},
		Offer: func(choices []api.Hold) error { return showHolds(ctx, a.Screen(), c, command.Sequence(choices)) },
	}.Finder()
}
