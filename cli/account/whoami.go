package account

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
	"example.org/library/terminal"
)

// NewWhoami makes 'library whoami'.
func NewWhoami(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "whoami",
		Short: "Show who is signed in, and what they may do",
		Example: `  library whoami
  library whoami --server library.example.com
  library whoami --json | jq -r .email`,
	}
	a.Command(cmd, func(ctx context.Context, _ []string) error { return whoami(ctx, a) })
	a.ServerFlag(cmd)
	a.JSONFlag(cmd, "what is known of you")
	return cmd
}

// whoamiRecord is the output of whoami --json.
type whoamiRecord struct {
	Server       string    `json:"server"`
	Library      string    `json:"libraryName,omitempty"`
	Mail         bool      `json:"mail"`
	Identifier   string    `json:"identifier"`
	Name         string    `json:"name"`
	Email        string    `json:"email"`
	Roles        []string  `json:"roles"`
	RolesFrom    string    `json:"rolesFrom,omitempty"`
	Authorities  []string  `json:"authorities"`
	Kind         string    `json:"kind,omitempty"`
	Issuer       string    `json:"issuer,omitempty"`
	ClientID     string    `json:"clientId,omitempty"`
	Kept         string    `json:"kept,omitempty"`
	Expires      time.Time `json:"expires,omitzero"`
	RenewedUntil time.Time `json:"renewedUntil,omitzero"`
}

func whoami(ctx context.Context, a *command.App) error {
	address, source, err := a.Source(ctx)
	if err != nil {
		return err
	}
	c, err := client.New(address, source)
	if err != nil {
		return err
	}
	me, err := c.Me(ctx)
	if err != nil {
		return a.Explain(ctx, c, err)
	}
	token, err := source.Token(ctx)
	if err != nil {
		return a.Explain(ctx, c, err)
	}
	server := profile.Server{Address: address}
	if a.Token() == "" {
		server, err = a.SignedIn()
		if err != nil {
			return err
		}
	} else if claims, ok := command.ReadClaims(token.Access); ok {
		token.Expiry = claims.Expiry
	}
	return a.Print(newWhoamiRecord(me, server, token), func() error { return a.PrintFacts(whoamiFacts(me, server, token)) })
}

func newWhoamiRecord(me api.Me, server profile.Server, token client.Token) whoamiRecord {
	r := whoamiRecord{
		Server: server.Address, Library: me.LibraryName, Mail: me.Mail, RolesFrom: me.RolesFrom, Identifier: me.Identifier, Name: me.FirstName + " " + me.LastName, Email: me.Email,
		Roles: command.RolesOf(me.Authorities), Authorities: me.Authorities, Kind: string(server.Kind),
		Issuer: server.Issuer, ClientID: server.ClientID, Kept: string(server.Kept), Expires: token.Expiry,
	}
	if token.Refresh != "" {
		r.RenewedUntil = token.RefreshExpiry
	}
	return r
}

func whoamiFacts(me api.Me, server profile.Server, token client.Token) []command.Fact {
	facts := []command.Fact{
		{"name", command.FullName(me.User)},
		{"e-mail", me.Email},
		{"roles", command.JoinRoles(command.RolesOf(me.Authorities))},
	}
	if from := command.RolesFrom(me); from != "" {
		facts = append(facts, command.Fact{"roles from", from})
	}
	if me.Mail {
		facts = append(facts, command.Fact{"mails", mailsOf(me.User)})
	}
	if me.LibraryName != "" {
		facts = append(facts, command.Fact{"library", me.LibraryName})
	}
	facts = append(facts, command.Fact{"server", server.Address})
	if server.Issuer == "" {
		return append(facts, command.Fact{"token", "from LIBRARY_TOKEN, " + lasts(time.Now(), server.Kind, token)})
	}
	where := "in the keyring"
	if server.Kept == profile.InFile {
		where = "in a file"
	}
	return append(facts,
		command.Fact{"provider", server.Issuer},
		command.Fact{"client", server.ClientID},
		command.Fact{"token", "kept " + where + ", " + lasts(time.Now(), server.Kind, token)},
	)
}

func mailsOf(u api.User) string {
	language := command.Language(u.Locale)
	if !u.Reminders {
		return "only about books to collect, in " + language
	}
	return "about due dates and books to collect, in " + language
}

func lasts(now time.Time, kind profile.Kind, t client.Token) string {
	text := "good for " + command.Duration(t.Expiry.Sub(now))
	if t.Expiry.IsZero() {
		text = "good for an unknown time"
	}
	switch {
	case kind == profile.Service, t.Refresh != "" && t.RefreshExpiry.IsZero():
		return text + "; renewed by itself"
	case t.Refresh == "":
		return text
	}
	return text + "; renewed by itself until " + clockTime(now, t.RefreshExpiry)
}

// clockTime returns a time as a person says it: without the day if it is today.
func clockTime(now, at time.Time) string {
	now, at = now.Local(), at.Local()
	if now.Format(time.DateOnly) == at.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}

// NewToken makes 'library token'.
func NewToken(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Print an access token that is good for a while",
		Long: `Print an access token, renewed if it has to be, for other programs that speak to
the library. Anybody who has it can do what you can, until it expires.`,
		Example: `  curl -H "Authorization: Bearer $(library token)" http://localhost:9091/library-server/books
  LIBRARY_TOKEN=$(library token) ./nightly-import`,
	}
	a.Command(cmd, func(ctx context.Context, _ []string) error {
		address, source, err := a.Source(ctx)
		if err != nil {
			return err
		}
		token, err := source.Token(ctx)
		if errors.Is(err, client.ErrSessionEnded) {
			return command.SessionEnded(address)
		}
		if err != nil {
			return err
		}
		if token.Key != nil {
			a.Message("This token is bound to a key that stays here (DPoP): other programs cannot use it. They sign in themselves, or ask with 'library api'.")
		}
		_, err = fmt.Fprintln(a.Term.Out, terminal.Clean(token.Access))
		return err
	})
	a.ServerFlag(cmd)
	return cmd
}

// NewMe makes 'library me'.
func NewMe(a *command.App) *cobra.Command {
	return command.Group(&cobra.Command{
		Use:   "me",
		Short: "See and change what the library keeps of you",
		Long: `See and change what the library keeps of you. 'library whoami' shows who you are
and what you may do; name, e-mail address, card and roles are changed by admins.`,
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
	a.JSONFlag(cmd, "it, as without this flag,")
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
