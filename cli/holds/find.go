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
	return a.Complete(command.AnyNumber, func(ctx context.Context, c *client.Client, args []string, typed string) ([]cobra.Completion, error) {
		page, err := c.Holds(ctx, client.HoldQuery{Limit: command.MaxCompletions})
		k := records.NewCalendar(c)
		return records.CompleteTitles(page.Items, args, typed, func(h api.Hold) (string, string) {
			return h.Book.Title, k.HoldState(ctx, h.State, h.Position, h.Until)
		}), err
	})
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

// newChange makes a command that does something with holds.
func newChange(a *command.App, cmd *cobra.Command, scope *records.Scope, done string,
	do func(context.Context, *client.Client, api.Hold) (api.Hold, error),
	say func(context.Context, *records.Calendar, api.Hold) string) *cobra.Command {
	cmd.ValidArgsFunction = completeHolds(a)
	return records.Change[api.Hold]{
		Scope: scope, Failure: "holds could not be " + done, Finder: holdFinder, Do: do, Say: say,
		Explain: func(_ context.Context, _ *client.Client, _ *records.Calendar, h api.Hold, err error) error {
			return records.Matter{Title: h.Book.Title}.Explain(err)
		},
	}.Command(a, cmd)
}
