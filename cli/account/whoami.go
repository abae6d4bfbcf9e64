package account

import (
	"cmp"
	"context"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/api"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/profile"
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

// whoamiRecord is what whoami --json prints.
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

// languages are the names of the languages in which the library writes.
var languages = map[string]string{"en": "English", "de": "German"}

// mailsOf says which mails a person gets.
func mailsOf(u api.User) string {
	language := cmp.Or(languages[u.Locale], u.Locale)
	if !u.Reminders {
		return "only about books to collect, in " + language
	}
	return "about due dates and books to collect, in " + language
}

// lasts says how long a token is good for.
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

// clockTime is a time as a person says it: of today without the day.
func clockTime(now, at time.Time) string {
	now, at = now.Local(), at.Local()
	if now.Format(time.DateOnly) == at.Format(time.DateOnly) {
		return at.Format("15:04")
	}
	return at.Format("2006-01-02 15:04")
}
