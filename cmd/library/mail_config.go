package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/cli/command"
	"example.org/library/mail"
	"example.org/library/notice"
	"example.org/library/service"
	"example.org/library/webhook"
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
		{flag: "mail-from", usage: "sender of mails; required with --smtp", set: emailAddress(&c.from)},
		{flag: "mail-to", usage: "one address for every mail instead of the people, for trying out an installation", set: emailAddress(&c.to)},
		{flag: "mail-rate", value: fmt.Sprint(usualMailRate), usage: "how many mails a second are sent at most", set: count(&c.rate, 1, 1000)},
		{flag: "public-url", usage: "address of the browser client, for links in mails, such as https://library.example.org", set: publicURL(&c.publicURL)},
	}
}

func (c *mailConfig) setCarrier(v string) error {
	if _, err := mail.Parse(v); v != "" && err != nil {
		return err
	}
	c.smtp = v
	return nil
}

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
		problems = append(problems, problem("--mail-from", "is required with --smtp: the sender of mails, such as library@example.org (LIBRARY_MAIL_FROM)"))
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

// idle returns settings without effect.
func (c *mailConfig) idle() []string {
	if c.smtp == "" && (c.password != "" || c.passwordFile != "" || c.from != "" || c.to != "" || c.rate != usualMailRate) {
		return []string{"--smtp-password-file, --mail-from, --mail-to and --mail-rate need --smtp"}
	}
	if carrier, err := mail.Parse(c.smtp); err == nil && !carrier.NeedsPassword() && c.password != "" {
		return []string{"a password of the mail server needs a user in --smtp"}
	}
	return nil
}

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
	s.Carrier, s.Pace = carrier, notice.NewPace(c.rate)
	return s, nil
}

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

// start starts the mail worker and returns its stop function.
func (c *mailConfig) start(mails *notice.Service, sender *notice.Sender, logger *slog.Logger, registry prometheus.Registerer) (stop func()) {
	if !sender.On() {
		return func() {}
	}
	return notice.Start(notice.Config{Mails: mails, Open: sender.Carrier.Open, Compose: sender.Mail, Pace: sender.Pace, Server: fmt.Sprint(sender.Carrier), Logger: logger, Metrics: registry})
}

// webhookConfig names the receivers of web hooks.
type webhookConfig struct {
	targets []webhook.Target
	secret  webhook.Secret
	signs   bool // there is a secret
	people  bool
}

func (c *webhookConfig) settings() []setting {
	return []setting{
		{flag: "webhook", list: true, repeats: true, usage: "address to post events to, https or on this machine; several separated by commas, or the flag several times", set: optional(webhookTargets(&c.targets))},
		{flag: "webhook-people", value: "false", boolean: true, usage: "events name the person of a loan or hold", set: boolean(&c.people)},
		{flag: "webhook-secret", secret: true, usage: "signing key of events: whsec_ and base64; required with --webhook", set: optional(c.setSecret)},
	}
}

// mostWebhooks bounds the work caused by one change.
const mostWebhooks = 20

// webhookTargets does not repeat an address: there may be a secret in it.
func webhookTargets(into *[]webhook.Target) func(string) error {
	return func(v string) error {
		addresses := strings.Split(v, ",")
		var bad []string
		for i, address := range addresses {
			addresses[i] = strings.TrimSpace(address)
			t, err := webhook.ParseTarget(addresses[i])
			switch {
			case err != nil && len(addresses) == 1:
				return err
			case err != nil:
				bad = append(bad, fmt.Sprintf("number %d %v", i+1, err))
			case slices.Contains(addresses[:i], addresses[i]):
				return errors.New("names one address twice")
			}
			*into = append(*into, t)
		}
		if len(bad) > 0 {
			return errors.New(strings.Join(bad, "; "))
		}
		if len(addresses) > mostWebhooks {
			return fmt.Errorf("names %d addresses; there can be %d", len(addresses), mostWebhooks)
		}
		return nil
	}
}

func (c *webhookConfig) setSecret(v string) (err error) {
	c.secret, err = webhook.ParseSecret(v)
	c.signs = err == nil
	return err
}

func (c *webhookConfig) check() []command.Problem {
	if len(c.targets) == 0 || c.signs {
		return nil
	}
	return []command.Problem{problem("LIBRARY_WEBHOOK_SECRET", "is required with --webhook: whsec_ and base64; this makes one: echo whsec_$(openssl rand -base64 32)")}
}

// idle returns settings without effect.
func (c *webhookConfig) idle() []string {
	if c.people && len(c.targets) == 0 {
		return []string{"--webhook-people needs --webhook"}
	}
	return nil
}

// start starts the worker for web hooks, if there are any, and returns its stop function.
func (c *webhookConfig) start(hooks *webhook.Service, log *slog.Logger, registry prometheus.Registerer) (stop func()) {
	if len(c.targets) == 0 {
		return func() {}
	}
	if c.secret.IsShort() {
		log.Warn("the secret of web hooks is shorter than 24 bytes, the least of Standard Webhooks")
	}
	return webhook.Start(webhook.Config{
		Hooks: hooks, Targets: c.targets, Secret: c.secret, People: c.people, Logger: log, Metrics: registry,
	})
}
