// Package notices is 'library notices': a file for each command.
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
		Example: `  library notices list --state failed
  library notices retry "Bruce Wayne"
  library notices preview overdue --locale de
  library notices test
  library notices resume`,
	},
		newList(a), newRetry(a), newPreview(a), newTest(a), newResume(a))
}

// inWords are the kinds in words.
var inWords = map[string]string{
	string(library.NoticeHoldReady):   "ready to collect",
	string(library.NoticeHoldExpired): "not collected in time",
	string(library.NoticeDueSoon):     "due soon",
	string(library.NoticeOverdue):     "overdue",
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

// sayFailure puts a failed attempt into words.
func sayFailure(stage string, code int) string {
	text := failures[stage]
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
		text += " on " + k.Day(ctx, n.SentAt)
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
	return records.Show(ctx, t, c, notices, lines, table)
}

// table shows notices at a terminal.
func table(ctx context.Context, t *terminal.Terminal, _ *client.Client, k *records.Calendar, notices []api.Notice) error {
	out := t.NewTable(terminal.Column{Title: "id", Style: terminal.Dim}, terminal.Column{Title: "reader", Give: 3}, terminal.Column{Title: "about"},
		terminal.Column{Title: "title", Give: 2, Style: terminal.Bold}, terminal.Column{Title: "state", Give: 1})
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

// lines writes notices for programs, one on a line.
func lines(_ context.Context, t *terminal.Terminal, _ *records.Calendar, notices iter.Seq2[api.Notice, error]) error {
	out := t.NewTable(make([]terminal.Column, 9)...)
	for n, err := range notices {
		if err != nil {
			return err
		}
		stage, code := "", ""
		if n.Problem != nil {
			stage = n.Problem.Stage
			if n.Problem.Code != 0 {
				code = strconv.Itoa(n.Problem.Code)
			}
		}
		if err := out.Row(n.Identifier, n.Kind, n.State, records.NameOf(n.User), n.Book.Title, n.CreatedAt, fmt.Sprint(n.Attempts), stage, code); err != nil {
			return err
		}
	}
	return out.Flush()
}

// reader is to whom a notice is.
func reader(n api.Notice) string {
	if n.User == nil {
		return "(forgotten)"
	}
	return records.NameOf(n.User)
}
