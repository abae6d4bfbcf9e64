package holds

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newList(a *command.App) *cobra.Command {
	list := records.List[api.Hold]{
		Nouns: "holds", None: "Nobody waits for a book at the moment.",
		Filters: [2]records.Filter{
			{Flag: "ready", Letter: "r", Usage: "only holds for which a copy is set aside", State: api.HoldsReady, None: "No copy is set aside."},
			{Flag: "ended", Letter: "e", Usage: "list holds that are over instead: fulfilled, cancelled or expired", State: api.HoldsEnded, None: "No hold has ended."},
		},
		Conflict: "cannot go with --ended",
		Pages: func(ctx context.Context, c *client.Client, q records.ListQuery) iter.Seq2[client.Page[api.Hold], error] {
			return c.HoldPages(ctx, client.HoldQuery{State: q.State, User: q.User, Book: q.Book}, q.Limit)
		},
		Show: showHolds,
	}
	return list.Command(a, &cobra.Command{
		Short: "List holds",
		Long: `List holds by book and place in the queue, or with --ended those that are over,
the latest first. Readers see their own holds, curators and admins everybody's.

In a pipe there is one line for each hold, with tabs between identifier, title,
reader, state, place in the queue, the day until which a copy is set aside, and,
for curators and admins, "fetched" if it was taken from its shelf.`,
		Example: `  library holds list
  library holds list --ready
  library holds list --book "Clean Code" --json
  library holds list --user "Bruce Wayne" --ended`,
	})
}
