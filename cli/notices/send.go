package notices

import (
	"context"
	"regexp"
	"strconv"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/cli/records"
	"example.org/library/client"
	"example.org/library/terminal"
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
	n, err := finder(ctx, a, c, "failed notice", string(library.NoticeFailed)).Find(ctx, name)
	return n.Identifier, err
}

func completeFailed(a *command.App) cobra.CompletionFunc {
	return a.Complete(command.AnyNumber, func(ctx context.Context, c *client.Client, args []string, typed string) ([]cobra.Completion, error) {
		page, err := c.Notices(ctx, client.NoticeQuery{State: string(library.NoticeFailed), Limit: command.MaxCompletions})
		return records.CompleteTitles(page.Items, args, typed, func(n api.Notice) (string, string) {
			return records.NameOf(n.User), n.Book.Title
		}), err
	})
}

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
	case is && refused.Code == codeMailFailed && len(refused.Details) > 0 && refused.Details[0].Limit > 0:
		return command.Refusal(command.ExitFailed, codeMailFailed, "The test mail was not sent: the mail server has not answered for a minute.")
	case is && refused.Code == codeMailFailed && len(refused.Details) > 0:
		code, _ := strconv.Atoi(number.FindString(refused.Details[0].Message)) // 0 if there was no answer
		stage := terminal.Clean(refused.Details[0].Code)
		if stage == "rcpt" {
			return command.Refusal(command.ExitFailed, codeMailFailed, "The test mail was not sent: the mail server does not accept your address (%d).", code)
		}
		return command.Refusal(command.ExitFailed, codeMailFailed, "The test mail was not sent: %s.", sayFailure(stage, code))
	}
	return err
}
