package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/library/cli/command"
	"example.org/library/internal/testkit"
)

const (
	goodWebhookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	goodWebhook       = "https://receiver.example.org/library?token=t0ken"
)

func configureWebhooks(secret string, args ...string) (*serveConfig, []command.Problem) {
	return configure(map[string]string{"LIBRARY_ISSUER": goodIssuer, "LIBRARY_WEBHOOK_SECRET": secret}, args...)
}

func TestWebHooksAreOnHTTPSOrOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		goodWebhook, "http://localhost:8080/hook", "http://127.0.0.1:1/", "http://127.9.9.9/", "http://[::1]:8080", "http://LOCALHOST/", "https://10.0.0.1/hook",
	} {
		if _, problems := configureWebhooks(goodWebhookSecret, "--webhook", address); problems != nil {
			t.Errorf("%s: %v", address, problems)
		}
	}
}

func TestAWebHookCanBeGivenSeveralTimes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--webhook", "https://a.example", "--webhook=https://b.example"},
		{"--webhook", "https://a.example, https://b.example"},
	} {
		cfg, problems := configureWebhooks(goodWebhookSecret, args...)
		if problems != nil || len(cfg.webhooks.targets) != 2 || cfg.webhooks.targets[1].Host() != "b.example" {
			t.Errorf("%v: %v, %v", args, cfg.webhooks.targets, problems)
		}
	}
	if _, problems := configureWebhooks(goodWebhookSecret, "--webhook", "https://a.example", "--webhook", "https://a.example"); len(problems) != 1 {
		t.Errorf("one address twice: %v", problems)
	}
}

func TestEveryBadWebHookIsNamed(t *testing.T) {
	t.Parallel()
	_, problems := configureWebhooks(goodWebhookSecret, "--webhook", "ftp://a.example", "--webhook", goodWebhook, "--webhook", "http://b.example")
	if text := fmt.Sprint(problems); len(problems) != 1 || !strings.Contains(text, "number 1 ") || !strings.Contains(text, "number 3 ") {
		t.Error(text)
	}
}

func TestTheSecretOfWebHooksIsAVariableAndNeverShown(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct {
		secret string
		args   []string
		where  string
	}{
		"missing":             {"", []string{"--webhook", goodWebhook}, "LIBRARY_WEBHOOK_SECRET"},
		"without its prefix":  {"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", []string{"--webhook", goodWebhook}, "LIBRARY_WEBHOOK_SECRET"},
		"not base64":          {"whsec_t0ken!", []string{"--webhook", goodWebhook}, "LIBRARY_WEBHOOK_SECRET"},
		"without padding":     {"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", []string{"--webhook", goodWebhook}, "LIBRARY_WEBHOOK_SECRET"},
		"empty":               {"whsec_", []string{"--webhook", goodWebhook}, "LIBRARY_WEBHOOK_SECRET"},
		"as a flag":           {goodWebhookSecret, []string{"--webhook", goodWebhook, "--webhook-secret", "whsec_t0ken"}, "--webhook-secret"},
		"an address it is in": {goodWebhookSecret, []string{"--webhook", "http://receiver.example.org/t0ken"}, "--webhook"},
	} {
		_, problems := configureWebhooks(c.secret, c.args...)
		if len(problems) != 1 || problems[0].Where != c.where {
			t.Errorf("%s: %v; want one problem of %s", rule, problems, c.where)
		}
		if text := fmt.Sprint(problems); strings.Contains(text, "t0ken") || strings.Contains(text, "MfKQ") {
			t.Errorf("%s: the problem repeats a secret: %s", rule, text)
		}
	}
	cfg, _ := configureWebhooks(goodWebhookSecret, "--webhook", goodWebhook)
	if text := fmt.Sprintf("%v %+v %#v", cfg.webhooks.secret, cfg.webhooks.secret, cfg.webhooks.secret); strings.Contains(text, "77") || !strings.Contains(text, "(secret)") {
		t.Errorf("it prints as %s", text)
	}
}

func TestAPrintedConfigurationHasNoSecretOfWebHooks(t *testing.T) {
	t.Parallel()
	settings := (&serveConfig{}).settings()
	env := map[string]string{"LIBRARY_WEBHOOK_SECRET": goodWebhookSecret}
	values, _ := resolve(settings, nil, func(name string) (string, bool) { v, ok := env[name]; return v, ok })
	var out bytes.Buffer
	testkit.NoError(t, printConfig(&out, "library serve", settings, values))
	if strings.Contains(out.String(), "whsec") || strings.Contains(out.String(), "webhook-secret") {
		t.Error("the secret is in the printed configuration")
	}
	_, problems := parseConfig("library.toml", []byte(`webhook-secret = "whsec_t0ken"`), settings)
	if len(problems) != 1 || strings.Contains(fmt.Sprint(problems), "t0ken") || !strings.Contains(problems[0].Message, "LIBRARY_WEBHOOK_SECRET") {
		t.Errorf("in a file: %v", problems)
	}
}

func TestPeopleInWebHooksNeedAHook(t *testing.T) {
	t.Parallel()
	cfg, _ := configureWebhooks("", "--webhook-people")
	if !slices.Contains(cfg.idle(), "--webhook-people needs --webhook") {
		t.Errorf("%v", cfg.idle())
	}
}
