package notices

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

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
