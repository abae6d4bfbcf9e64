package notices

import (
	"context"
	"iter"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
)

func newList(a *command.App) *cobra.Command {
	var scope records.Scope
	var q client.NoticeQuery
	limit := 0
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List notices",
		Long: `List notices, the newest first: to whom, about what, and what became of them.

  waiting   is sent within the next minutes, or tried again after a failure
  paused    waits until 'library notices resume' says that mails may be sent
  sent      was handed to the mail server
  dropped   was no longer true when the mail was to be sent, or is not wanted
  failed    was refused, or could not be sent for two days

In a pipe there is one line for each notice, with tabs between identifier, kind,
state, reader, title, when it was written, how often it was tried, and at which
stage and with which number the mail server refused it last.`,
		Example: `  library notices list
  library notices list --state failed
  library notices list --user "Bruce Wayne" --kind overdue
  library notices list --state waiting --json`,
	}
	cmd.Flags().StringVar(&q.State, "state", "", "only notices that are waiting, paused, sent, dropped or failed")
	cmd.Flags().StringVar(&q.Kind, "kind", "", "only notices of this kind: "+strings.Join(kinds(), ", "))
	command.CompleteFlag(cmd, "state", states()...)
	command.CompleteFlag(cmd, "kind", kinds()...)
	scope.UserFlag(a, cmd, "notices")
	command.LimitFlag(cmd, &limit)
	a.JSONFlag(cmd, "whole records")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		problems := command.CheckLimit(cmd, limit)
		problems.CheckChoice("--state", q.State, states())
		problems.CheckChoice("--kind", q.Kind, kinds())
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		var err error
		if q.User, _, err = scope.Find(ctx, a, c); err != nil {
			return err
		}
		return list(ctx, a, c, q, a.LimitOf(limit))
	})
}

// list shows the notices of a query, and what to do about them.
func list(ctx context.Context, a *command.App, c *client.Client, q client.NoticeQuery, limit int) error {
	found := map[string]bool{}
	pages := func(yield func(client.Page[api.Notice], error) bool) {
		for p, err := range c.NoticePages(ctx, q, limit) {
			for _, n := range p.Items {
				found[n.State] = true
			}
			if !yield(p, err) {
				return
			}
		}
	}
	show := func(notices iter.Seq2[api.Notice, error]) error { return show(ctx, a.Term, c, notices) }
	if err := command.List(a, pages, show, "notices", "There are no such notices."); err != nil {
		return err
	}
	if found[string(library.NoticePaused)] {
		a.Say("Mails are paused, because this may be a copy of a library. 'library notices resume' lets them be sent.")
	}
	if found[string(library.NoticeFailed)] {
		a.Say("'library notices retry' lets a notice be sent again that has failed.")
	}
	return nil
}

func kinds() []string { return asTexts(library.NoticeKinds) }

func states() []string { return asTexts(library.NoticeStates) }

func asTexts[W ~string](words []W) []string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = string(w)
	}
	return texts
}
