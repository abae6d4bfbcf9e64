package notices

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

func newRetry(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "retry NOTICE...",
		Short: "Send notices again that have failed",
		Long: `Send notices again that have failed. A notice is named by its identifier or the
beginning of it (four characters or more), by its reader or by its book.

If the mail server had refused the person's address, the library writes to it
again from now on.`,
		Example: `  library notices retry 3e8f6a1c
  library notices retry "Bruce Wayne"
  library notices list --state failed | cut -f 1 | xargs library notices retry`,
		ValidArgsFunction: completeFailed(a),
	}
	a.JSONFlag(cmd, "the notices as they are now")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		return command.Each(ctx, a, c, args, "notices were not sent again", func(name string) (api.Notice, error) {
			id, err := failedNotice(ctx, a, c, name)
			if err != nil {
				return api.Notice{}, err
			}
			n, err := c.RetryNotice(ctx, id)
			if err != nil {
				return n, explainRetry(name, err)
			}
			if !a.JSON {
				a.Say("The notice to %s about %s is sent again.", reader(n), command.Quote(n.Book.Title))
			}
			return n, nil
		})
	})
}

// explainRetry says why a notice is not sent again.
func explainRetry(name string, err error) error {
	return command.InWords(err, map[string]string{
		library.ErrNoticeNotFound.Code: "There is no notice " + command.Quote(name) + ". 'library notices list --state failed' shows those that have failed.",
		library.ErrNotFailed.Code:      "The notice " + command.Quote(name) + " has not failed, or its person is forgotten, so there is nothing to send again.",
	})
}

// failedNotice is the identifier of the notice that is meant. The service knows whether one
// with a whole identifier is there and has failed.
func failedNotice(ctx context.Context, a *command.App, c *client.Client, name string) (string, error) {
	if id, is := library.ParseID(name); is {
		return id, nil
	}
	failed := func(context.Context, string) iter.Seq2[api.Notice, error] {
		return c.AllNotices(ctx, client.NoticeQuery{State: string(library.NoticeFailed)})
	}
	finder := records.Finder[api.Notice]{
		Noun: "failed notice", Hint: "'library notices list --state failed' shows those that there are.", Precision: records.Called,
		ID:         func(n api.Notice) string { return n.Identifier },
		Names:      func(n api.Notice) []string { return []string{records.NameOf(n.User), n.Book.Title} },
		Number:     func(context.Context, string) ([]api.Notice, error) { return nil, nil },
		Search:     failed,
		Near:       failed,
		Offer:      func(choices []api.Notice) error { return show(ctx, a.Screen(), c, command.Sequence(choices)) },
		NumberOnly: func(string) bool { return false },
	}
	n, err := finder.Find(ctx, name)
	return n.Identifier, err
}

// completeFailed offers failed notices by their reader.
func completeFailed(a *command.App) cobra.CompletionFunc {
	return a.Complete(command.AnyNumber, func(ctx context.Context, c *client.Client, args []string, typed string) ([]cobra.Completion, error) {
		page, err := c.Notices(ctx, client.NoticeQuery{State: string(library.NoticeFailed), Limit: command.MaxCompletions})
		return records.CompleteTitles(page.Items, args, typed, func(n api.Notice) (string, string) {
			return records.NameOf(n.User), n.Book.Title
		}), err
	})
}
