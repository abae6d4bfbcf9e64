package account

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/client"
)

// NewMe makes 'library me'.
func NewMe(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "me",
		Short: "See and change what the library keeps of you",
		Long: `See and change what the library keeps of you. 'library whoami' shows who you are
and what you may do; name, e-mail address, card and roles are changed by admins.`,
		Example: `  library me edit --locale de
  library me export > me.json
  library me forget-history`,
	},
		newMeEdit(a), newMeExport(a), newMeForget(a))
}

func newMeEdit(a *command.App) *cobra.Command {
	var locale string
	var reminders bool
	cmd := &cobra.Command{
		Use:   "edit",
		Short: "Change your language and whether you are reminded",
		Long:  `Change your language and whether you are reminded. What is not named stays as it is.`,
		Example: `  library me edit --locale de
  library me edit --reminders=off`,
	}
	cmd.Flags().StringVar(&locale, "locale", "", "language in which the library writes to you: en or de")
	command.SwitchFlag(cmd, &reminders, "reminders", "mails about due dates; --reminders=off for none, except when a book is ready for you")
	command.CompleteFlag(cmd, "locale", library.Locales...)
	a.JSONFlag(cmd, "the whole record")
	given := cmd.Flags().Changed
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var problems command.Problems
		if !given("locale") && !given("reminders") {
			problems.Add("", "nothing to change; say what with --locale or --reminders")
		}
		if given("locale") && !slices.Contains(library.Locales, locale) {
			problems.AddChoice("--locale", locale, library.Locales)
		}
		return problems.In(cmd)
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		fields := client.MeFields{Locale: locale}
		if given("reminders") {
			fields.Reminders = &reminders
		}
		me, err := c.EditMe(ctx, fields)
		if err != nil {
			return err
		}
		if err := a.Changed(me, "Changed your settings."); err != nil {
			return err
		}
		if given("reminders") && !me.Mail {
			a.Say("This library sends no mails at present.")
		}
		return nil
	})
}

func newMeExport(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Print everything that the library knows of you",
		Long: `Print everything that the library knows of you, as JSON: your record, your loans
and your holds, those that have ended included.`,
		Example: `  library me export > me.json
  library me export | jq -r '.loans[].book.title'`,
	}
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		export, err := c.Export(ctx)
		if err != nil {
			return err
		}
		return a.PrintJSON(export)
	})
}

func newMeForget(a *command.App) *cobra.Command {
	yes := false
	cmd := &cobra.Command{
		Use:   "forget-history",
		Short: "Have the library forget what you have borrowed and returned",
		Long: `Have the library forget what you have borrowed and returned: the loans stay, but
nobody can see any more that they were yours. What you have borrowed now is not
concerned. It asks before it does, unless you say --yes.`,
		Example: `  library me forget-history
  library me forget-history --yes`,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return a.MustAskOr(cmd, yes) },
	}
	command.YesFlag(cmd, &yes)
	return a.Remote(cmd, func(ctx context.Context, c *client.Client, _ []string) error {
		question := "Forget which books you have borrowed and returned? This cannot be undone."
		if err := a.Confirm(ctx, yes, question, "Nothing was forgotten."); err != nil {
			return err
		}
		if err := c.ForgetHistory(ctx); err != nil {
			return err
		}
		a.Say("The library has forgotten which books you have returned.")
		return nil
	})
}
