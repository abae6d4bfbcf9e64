package notices

import (
	"context"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/terminal"
)

// Codes of refusals of a test mail.
const (
	codeMailOff    = "mail_off"
	codeMailFailed = "mail_failed"
)

func newTest(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test",
		Short: "Send a test mail to yourself",
		Long: `Send a test mail to yourself, now. It says whether the mail server accepts it, and
if not, why. That it arrives in your mailbox is another matter: look there.`,
		Example: `  library notices test`,
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		if err := c.SendTestMail(ctx); err != nil {
			return explainTest(err)
		}
		a.Say("The mail server has accepted a mail to %s.", whoGotIt(ctx, c))
		return nil
	})
}

// whoGotIt is where the test mail went: a library that is being tried out has one address for all.
func whoGotIt(ctx context.Context, c *client.Client) string {
	if outbox, err := c.Outbox(ctx); err == nil && outbox.To != "" {
		return outbox.To
	}
	if me, err := c.Me(ctx); err == nil {
		return me.Email
	}
	return "your address"
}

var number = regexp.MustCompile(`\b[2-5]\d\d\b`)

// explainTest says why a test mail was not sent.
func explainTest(err error) error {
	refused, is := command.AsRefusal(err)
	switch {
	case is && refused.Code == codeMailOff:
		return command.Refusal(command.ExitConflict, codeMailOff, "This library sends no mails: 'library serve' was started without --smtp.")
	case is && refused.Code == codeMailFailed && len(refused.Details) > 0:
		code, _ := strconv.Atoi(number.FindString(refused.Details[0].Message)) // 0 if there was no answer
		return command.Refusal(command.ExitFailed, codeMailFailed, "The test mail was not sent: %s.", sayFailure(terminal.Clean(refused.Details[0].Code), code))
	}
	return err
}
