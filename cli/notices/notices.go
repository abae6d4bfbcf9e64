// Package notices implements 'library notices'.
package notices

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
)

// New makes 'library notices'.
func New(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:     "notices",
		Aliases: []string{"notice"},
		Short:   "See which mails the library sends, and what became of them",
		Long: `See which mails the library sends, and what became of them. A notice is one thing
that a person is told: that a book is due soon or overdue, that a copy is set aside
or was set aside for too long. All that there is to say to a person at a time goes
into one mail. This is for admins.`,
	},
		newList(a), newShow(a), newRetry(a), newPreview(a), newTest(a), newResume(a))
}

// inWords are the kinds in words.
var inWords = map[string]string{
	string(library.NoticeHoldReady):   "ready to collect",
	string(library.NoticeHoldExpired): "not collected in time",
	string(library.NoticeDueSoon):     "due soon",
	string(library.NoticeOverdue):     "overdue",
	string(library.NoticeWanted):      "somebody is waiting",
}

// kindInWords is a kind as a person calls it. A newer server may have others.
func kindInWords(kind string) string {
	if words := inWords[kind]; words != "" {
		return words
	}
	return strings.ReplaceAll(kind, "_", " ")
}

// failures say what went wrong at each stage of sending a mail.
var failures = map[string]string{
	"connect": "the mail server cannot be reached",
	"tls":     "there is no safe connection to the mail server",
	"auth":    "the mail server does not accept the library's user name and password",
	"mail":    "the mail server accepts no mail from the library's address",
	"rcpt":    "the mail server does not accept the person's address",
	"data":    "the mail server does not accept the mail",
}

func sayFailure(stage string, code int) string {
	text := failures[stage]
	if stage == "connect" && code != 0 {
		text = "the mail server takes no mails at the moment"
	}
	if text == "" {
		text = "the mail could not be sent (" + stage + ")"
	}
	if code != 0 {
		text += " (" + strconv.Itoa(code) + ")"
	}
	return text
}

// stateInWords is how far a notice has come, and why no further.
func stateInWords(ctx context.Context, k *records.Calendar, n api.Notice) string {
	text := n.State
	if n.State == string(library.NoticeSent) {
		text += " " + k.ShortDay(ctx, n.SentAt)
	}
	if n.Problem == nil || n.State == string(library.NoticeSent) || n.State == string(library.NoticeDropped) {
		return text
	}
	text += ": " + sayFailure(n.Problem.Stage, n.Problem.Code)
	if n.State == string(library.NoticeWaiting) && n.NextAttempt != "" {
		text += "; again at " + k.Time(ctx, n.NextAttempt)
	}
	return text
}

// show shows notices: as a table at a terminal, as lines in a pipe.
func show(ctx context.Context, t *terminal.Terminal, c *client.Client, notices iter.Seq2[api.Notice, error]) error {
	return records.Show(ctx, t, c, notices, noticeCells, table)
}

func table(ctx context.Context, t *terminal.Terminal, _ *client.Client, k *records.Calendar, notices []api.Notice) error {
	out := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "reader", Give: 3}, terminal.Column{Title: "about"},
		terminal.Column{Title: "title", Give: 2, Style: terminal.Bold}, terminal.Column{Title: "state", Give: 1, Wrap: true})
	for i, id := range command.IDs(t, notices, func(n api.Notice) string { return n.Identifier }) {
		n := notices[i]
		state := terminal.Cell{Text: stateInWords(ctx, k, n)}
		if n.State == string(library.NoticeFailed) {
			state.Style = terminal.Red
		}
		out.Cells(terminal.Cell{Text: id}, terminal.Cell{Text: reader(n)}, terminal.Cell{Text: kindInWords(n.Kind)}, terminal.Cell{Text: n.Book.Title}, state)
	}
	return out.Flush()
}

// noticeCells returns the cells of the line for programs.
func noticeCells(_ context.Context, k *records.Calendar, n api.Notice) []string {
	stage, code := problemOf(n)
	return []string{n.Identifier, n.Kind, n.State, records.NameOf(n.User), n.Book.Title, n.CreatedAt, fmt.Sprint(n.Attempts), stage, code}
}

func reader(n api.Notice) string {
	if n.User == nil {
		return "(forgotten)"
	}
	return records.NameOf(n.User)
}

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
