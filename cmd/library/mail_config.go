package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/mail"
	"example.org/library/notice"
	"example.org/library/outgoing"
	"example.org/library/service"
)

// mailConfig says how people get mails.
type mailConfig struct {
	smtp         string // "": they get none
	password     string
	passwordFile string
	from, to     string
	rate         int
	publicURL    string
	anyAddress   bool // for the demo, which has another address each time: that is no sign of a copy
}

const usualMailRate = 10

func (c *mailConfig) settings() []setting {
	return []setting{
		{flag: "smtp", usage: "where mails go: " + mail.Forms + "; without it nobody gets any", set: c.setCarrier},
		{flag: "smtp-password", secret: true, usage: "password of the user in --smtp", set: text(&c.password)},
		{flag: "smtp-password-file", usage: "file with the password of the user in --smtp, instead of LIBRARY_SMTP_PASSWORD", set: text(&c.passwordFile)},
		{flag: "mail-from", usage: "address from which mails come; required with --smtp", set: emailAddress(&c.from)},
		{flag: "mail-to", usage: "one address that gets every mail instead of the people, for an installation that is being tried out", set: emailAddress(&c.to)},
		{flag: "mail-rate", value: fmt.Sprint(usualMailRate), usage: "how many mails a second are sent at most", set: count(&c.rate, 1, 1000)},
		{flag: "public-url", usage: "address of the browser client, for links in mails, such as https://library.example.org", set: publicURL(&c.publicURL)},
	}
}

func (c *mailConfig) setCarrier(v string) error {
	c.smtp = v // a bad one, too: otherwise more would be said than is wrong
	if v == "" {
		return nil
	}
	_, err := mail.Parse(v)
	return err
}

// publicURL is an address to which paths can be added.
func publicURL(into *string) func(string) error {
	const longest = 500 // a header has it in one line
	return func(v string) error {
		if err := webAddress(into)(v); err != nil {
			return err
		}
		if u, err := url.Parse(v); v != "" && (err != nil || u.RawQuery != "" || strings.HasSuffix(v, "?") || len(v) > longest) {
			return errors.New("must be an address of a page alone, such as https://library.example.org, of 500 characters at most")
		}
		return nil
	}
}

func (c *mailConfig) check() (problems []command.Problem) {
	carrier, err := mail.Parse(c.smtp)
	if err != nil {
		return nil // without mails, or it was said
	}
	if c.from == "" {
		problems = append(problems, problem("--mail-from", "is required with --smtp: the address from which mails come, such as library@example.org (LIBRARY_MAIL_FROM)"))
	}
	const both = "LIBRARY_SMTP_PASSWORD, --smtp-password-file"
	switch {
	case c.password != "" && c.passwordFile != "":
		problems = append(problems, problem(both, "are both given; one is enough"))
	case carrier.NeedsPassword() && c.password == "" && c.passwordFile == "":
		problems = append(problems, problem(both, "one of them is required, because --smtp names a user"))
	case c.passwordFile != "":
		if err := c.readPassword(); err != nil {
			problems = append(problems, problem("--smtp-password-file", err.Error()))
		}
	}
	return problems
}

// readPassword reads the file with the password, of which the first line counts.
func (c *mailConfig) readPassword() error {
	content, err := os.ReadFile(c.passwordFile)
	if err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	password, _, _ := strings.Cut(string(content), "\n")
	if c.password = strings.TrimSuffix(password, "\r"); c.password == "" {
		return errors.New("has no password in its first line")
	}
	return nil
}

// idle are settings that do nothing without another.
func (c *mailConfig) idle() []string {
	if c.smtp == "" && (c.password != "" || c.passwordFile != "" || c.from != "" || c.to != "" || c.rate != usualMailRate) {
		return []string{"--smtp-password-file, --mail-from, --mail-to and --mail-rate need --smtp"}
	}
	if carrier, err := mail.Parse(c.smtp); err == nil && !carrier.NeedsPassword() && c.password != "" {
		return []string{"a password of the mail server needs a user in --smtp"}
	}
	return nil
}

// sender is what makes and carries mails.
func (c *mailConfig) sender(name string) (*notice.Sender, error) {
	s := &notice.Sender{From: c.from, To: c.to, PublicURL: c.publicURL, Library: name}
	if c.smtp == "" {
		return s, nil
	}
	carrier, err := mail.Parse(c.smtp)
	if err == nil {
		err = carrier.SetPassword(c.password)
	}
	if err != nil {
		return nil, fmt.Errorf("--smtp: %w", err)
	}
	s.Carrier = carrier
	return s, nil
}

// options let the library write to people.
func (c *mailConfig) options() []service.Option {
	if c.smtp == "" {
		return nil
	}
	settings := library.MailSettings{From: c.from, PublicURL: c.publicURL, Diverted: c.to != ""}
	if c.anyAddress {
		settings.PublicURL = ""
	}
	return []service.Option{service.WithMail(settings)}
}

// start starts what sends mails, and returns what stops it.
func (c *mailConfig) start(out *outgoing.Service, sender *notice.Sender, logger *slog.Logger, registry prometheus.Registerer) (stop func()) {
	if !sender.On() {
		return func() {}
	}
	return notice.Start(notice.Config{Outgoing: out, Open: sender.Carrier.Open, Mail: sender.Mail, Rate: c.rate, Logger: logger, Metrics: registry})
}
