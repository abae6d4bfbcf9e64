package notices

import (
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
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

func newShow(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show NOTICE",
		Aliases: []string{"view"},
		Short:   "Show a notice",
		Long: `Show a notice: to whom, about what, and what became of it. It is named by its
identifier or the beginning of it (four characters or more), by its reader or by its
book.

In a pipe there is one line for each field: its name, a tab and its value.`,
		Example: `  library notices show 3e8f6a1c
  library notices show "Bruce Wayne" --json`,
	}
	a.JSONFlag(cmd, "the whole record")
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		n, err := finder(ctx, a, c, "notice", "").Find(ctx, args[0])
		if err != nil {
			return err
		}
		return a.Print(n, func() error { return showNotice(ctx, a, c, n) })
	})
}

func showNotice(ctx context.Context, a *command.App, c *client.Client, n api.Notice) error {
	if !a.Term.Interactive() {
		stage, code := problemOf(n)
		return a.PrintFields([]command.Fact{
			{"identifier", n.Identifier}, {"kind", n.Kind}, {"state", n.State}, {"user", records.NameOf(n.User)}, {"book", n.Book.Title},
			{"createdAt", n.CreatedAt}, {"sentAt", n.SentAt}, {"attempts", strconv.Itoa(n.Attempts)}, {"nextAttempt", n.NextAttempt},
			{"problem.stage", stage}, {"problem.code", code},
		})
	}
	k := records.NewCalendar(c)
	day := func(instant string) string {
		if instant == "" {
			return ""
		}
		return k.Time(ctx, instant)
	}
	attempts := ""
	if n.Attempts > 0 {
		attempts = strconv.Itoa(n.Attempts)
	}
	return a.PrintSheet(n.Book.Title, nil, []command.Fact{
		{"Reader", reader(n)}, {"About", kindInWords(n.Kind)}, {"State", stateInWords(ctx, k, n)}, {"Written", day(n.CreatedAt)},
		{"Sent", day(n.SentAt)}, {"Attempts", attempts}, {"Identifier", n.Identifier},
	})
}

// problemOf is where the last attempt has failed, and the number of the answer.
func problemOf(n api.Notice) (stage, code string) {
	if n.Problem == nil {
		return "", ""
	}
	if n.Problem.Code != 0 {
		code = strconv.Itoa(n.Problem.Code)
	}
	return n.Problem.Stage, code
}

// finder finds notices, in this state or in any. The service has no notice by its identifier, so they are looked
// through.
func finder(ctx context.Context, a *command.App, c *client.Client, noun, state string) *records.Finder[api.Notice] {
	hint := "'library notices list' shows those that there are."
	if state != "" {
		hint = "'library notices list --state " + state + "' shows those that there are."
	}
	all := func(context.Context, string) iter.Seq2[api.Notice, error] {
		return c.AllNotices(ctx, client.NoticeQuery{State: state})
	}
	return &records.Finder[api.Notice]{
		Noun: noun, Hint: hint, Precision: records.Called,
		ID:    func(n api.Notice) string { return n.Identifier },
		Names: func(n api.Notice) []string { return []string{records.NameOf(n.User), n.Book.Title} },
		Get: func(ctx context.Context, id string) (api.Notice, error) {
			for n, err := range all(ctx, "") {
				if err != nil || n.Identifier == id {
					return n, err
				}
			}
			return api.Notice{}, command.Fail(command.ExitNotFound, "%s", library.ErrNoticeNotFound.Message)
		},
		Search: all,
		Near:   all,
		Offer:  func(choices []api.Notice) error { return show(ctx, a.Screen(), c, command.Sequence(choices)) },
	}
}

func newPreview(a *command.App) *cobra.Command {
	locale, html := "", false
	cmd := &cobra.Command{
		Use:   "preview KIND",
		Short: "Show what a mail says",
		Long: `Show what a mail says, with made-up books, the library's own name and its note
(mailNote of the rules). Nothing is sent. KIND is one of
` + strings.Join(kinds(), ", ") + `.`,
		Example: `  library notices preview overdue
  library notices preview hold_ready --locale de
  library notices preview due_soon --html > mail.html`,
		ValidArgsFunction: cobra.FixedCompletions(kinds(), cobra.ShellCompDirectiveNoFileComp),
	}
	cmd.Flags().StringVar(&locale, "locale", "", "language of the mail: en or de; yours by default")
	cmd.Flags().BoolVar(&html, "html", false, "the mail as mail programs show it, instead of its plain text")
	command.CompleteFlag(cmd, "locale", library.Locales...)
	a.JSONFlag(cmd, "subject, text and html")
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		var problems command.Problems
		if len(args) == 1 && !slices.Contains(kinds(), args[0]) {
			problems.AddChoice("KIND", args[0], kinds())
		}
		problems.CheckChoice("--locale", locale, library.Locales)
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, args []string) error {
		mail, err := c.PreviewNotice(ctx, args[0], locale)
		if err != nil {
			return err
		}
		return a.Print(mail, func() error {
			text := fmt.Sprintf("Subject: %s\n\n%s", terminal.Clean(mail.Subject), mail.Text)
			if html {
				text = mail.HTML
			}
			_, err := io.WriteString(a.Term.Out, terminal.CleanText(text))
			return err
		})
	})
}
