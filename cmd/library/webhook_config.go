package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/cli/command"
	"example.org/library/hook"
	"example.org/library/webhook"
)

// webhookConfig says which programs are told what happens.
type webhookConfig struct {
	targets []webhook.Target
	secret  webhook.Secret
	signs   bool // there is a secret
	people  bool
}

func (c *webhookConfig) settings() []setting {
	return []setting{
		{flag: "webhook", list: true, repeats: true, usage: "address that events are posted to, https or on this machine; several separated by commas, or the flag several times", set: optional(webhookTargets(&c.targets))},
		{flag: "webhook-people", value: "false", boolean: true, usage: "events say whose loan or hold it is", set: boolean(&c.people)},
		{flag: "webhook-secret", secret: true, usage: "key with which events are signed: whsec_ and base64; required with --webhook", set: optional(c.setSecret)},
	}
}

// mostWebhooks bounds what one change can set in motion.
const mostWebhooks = 20

// webhookTargets does not repeat an address: there may be a secret in it.
func webhookTargets(into *[]webhook.Target) func(string) error {
	return func(v string) error {
		addresses := strings.Split(v, ",")
		for i, address := range addresses {
			addresses[i] = strings.TrimSpace(address)
			t, err := webhook.ParseTarget(addresses[i])
			if err != nil && len(addresses) > 1 {
				err = fmt.Errorf("number %d %w", i+1, err)
			}
			if err != nil {
				return err
			}
			if slices.Contains(addresses[:i], addresses[i]) {
				return errors.New("names one address twice")
			}
			*into = append(*into, t)
		}
		if len(addresses) > mostWebhooks {
			return fmt.Errorf("names %d addresses; there can be %d", len(addresses), mostWebhooks)
		}
		return nil
	}
}

func (c *webhookConfig) setSecret(v string) (err error) {
	c.signs = true // a bad one, too: it is not missing
	c.secret, err = webhook.ParseSecret(v)
	return err
}

func (c *webhookConfig) check() []command.Problem {
	if len(c.targets) == 0 || c.signs {
		return nil
	}
	return []command.Problem{problem("LIBRARY_WEBHOOK_SECRET", "is required with --webhook: whsec_ and base64, such as what this prints: echo whsec_$(openssl rand -base64 32)")}
}

// idle are settings that do nothing without another.
func (c *webhookConfig) idle() []string {
	if c.people && len(c.targets) == 0 {
		return []string{"--webhook-people needs --webhook"}
	}
	return nil
}

// start tells the receivers what happens, if there are any, and returns what ends that.
func (c *webhookConfig) start(hooks *hook.Service, log *slog.Logger, registry prometheus.Registerer) (stop func()) {
	if len(c.targets) == 0 {
		return func() {}
	}
	if c.secret.IsShort() {
		log.Warn("the secret of web hooks is shorter than the 24 bytes that Standard Webhooks asks for")
	}
	return webhook.Start(webhook.Config{
		Hooks: hooks, Targets: c.targets, Secret: c.secret, People: c.people, Logger: log, Metrics: registry,
	})
}
