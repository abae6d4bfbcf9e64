package notices

import (
	"context"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// shownBefore is how many notices are shown before somebody decides.
const shownBefore = 30

func newResume(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "resume",
		Short: "Let mails be sent that are paused",
		Long: `Let mails be sent that are paused. After 'library restore', and when the server is
started with another --mail-from or --public-url than before, nobody is written to,
because this may be a copy of a library whose readers hear from the original.

It shows what would be sent, and asks unless you say --yes.`,
		Example: `  library notices resume
  library notices resume --yes`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		if err := askToResume(ctx, a, c, yes); err != nil {
			return err
		}
		if err := c.ResumeNotices(ctx); err != nil {
			return err
		}
		a.Say("Mails are sent from now on.")
		return nil
	})
}

// askToResume shows what would be sent, and asks unless that is not needed.
func askToResume(ctx context.Context, a *command.App, c *client.Client, yes bool) error {
	paused := client.NoticeQuery{State: string(library.NoticePaused)}
	first := paused
	first.Limit = shownBefore
	page, err := c.Notices(ctx, first)
	if err != nil {
		return err
	}
	question := "Nothing is paused now. Let mails be sent?"
	if outbox, err := c.Outbox(ctx); err == nil && outbox.Paused { // an older server does not say it
		question = "Mails are paused, and none waits. Let them be sent?"
	}
	if page.Total > 0 {
		if err := show(ctx, a.Term, c, command.Sequence(page.Items)); err != nil {
			return err
		}
		if rest := page.Total - len(page.Items); rest > 0 {
			a.Say("and %s more.", command.Thousands(rest))
		}
		question = "Send " + command.Quantity(page.Total, "notice") + " to these people, and go on sending mails?"
	}
	return a.Confirm(ctx, yes, question, "Nothing was sent, and mails stay as they are.")
}
