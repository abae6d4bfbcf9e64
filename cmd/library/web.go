package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/web"
)

// webConfig is what `library web` runs with.
type webConfig struct {
	addr      string
	issuer    string
	api       string
	clientID  string
	scopes    string
	basePath  string
	name      string
	public    bool
	logFormat string
	logLevel  slog.Level
}

func (c *webConfig) settings() []setting {
	all := []setting{
		{flag: "addr", value: "127.0.0.1:4200", usage: "address to listen on", set: listenAddress(&c.addr)},
		{flag: "issuer", usage: "issuer address of the identity provider, character for character; by default the one of library idp, where --api is on this machine, too", set: browserAddress(&c.issuer)},
		{flag: "api", value: command.DemoServer, usage: "address of the API, as browsers reach it", set: browserAddress(&c.api)},
		{flag: "client-id", value: "library-web", usage: "name under which the provider knows the browser client", set: quotable(&c.clientID)},
		{flag: "scopes", value: web.DefaultScopes, usage: "scopes to ask the provider for", set: scopes(&c.scopes)},
		{flag: "base-path", value: "/", usage: "path under which the client lives; / for none", set: basePath(&c.basePath)},
		{flag: "public-catalogue", value: "false", boolean: true, usage: "show the catalogue before people sign in; the API needs this setting, too", set: boolean(&c.public)},
		{flag: "log-format", value: "text", usage: "text or json", set: oneOf(&c.logFormat, "text", "json")},
		{flag: "log-level", value: "info", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
	for i := range all {
		all[i].group = "WEB_" // LIBRARY_ADDR is the address of serve
	}
	return append(all, nameSetting(&c.name))
}

// browserAddress is an address that can stand in the policy of the page.
func browserAddress(into *string) func(string) error {
	return func(v string) error {
		err := webAddress(into)(v)
		if err == nil && v != "" {
			err = web.CheckAddress(v)
		}
		return err
	}
}

// scopes are words with one space between them.
func scopes(into *string) func(string) error {
	return func(v string) error {
		words := strings.Fields(v)
		for _, word := range words {
			if err := quotable(new(string))(word); err != nil {
				return fmt.Errorf("is %q; it must be words without quotes, such as %q", v, web.DefaultScopes)
			}
		}
		if !strings.Contains(" "+strings.Join(words, " ")+" ", " openid ") {
			return fmt.Errorf("is %q; openid must be among them", v)
		}
		*into = strings.Join(words, " ")
		return nil
	}
}

func (c *webConfig) check() []command.Problem {
	var problems []command.Problem
	if c.issuer == "" && c.api == command.DemoServer {
		c.issuer = command.DemoIssuer
	}
	if c.issuer == "" {
		problems = append(problems, problem("--issuer", "is required with this --api: the issuer address of your identity provider, such as https://login.example.org/realms/main (LIBRARY_WEB_ISSUER)"))
	}
	if c.api == "" {
		problems = append(problems, problem("--api", "is empty; it must be the address of the API, such as https://library.example.org/library-server (LIBRARY_WEB_API)"))
	}
	return problems
}

// client is the browser client with this configuration.
func (c *webConfig) client() web.Config {
	return web.Config{Issuer: c.issuer, API: strings.TrimSuffix(c.api, "/"), ClientID: c.clientID, BasePath: c.basePath, Scopes: c.scopes, Name: c.name, PublicCatalogue: c.public}
}

func newWeb(env command.Environment) *cobra.Command {
	cfg := &webConfig{}
	return newConfigured(&cobra.Command{
		Use:   "web",
		Short: "Serve the browser client",
		Long: `Serve the browser client.

It is an origin of its own: the API must allow it (library serve --client-origin),
and the identity provider must know its address, with the base path and a slash at
the end, as a redirect address and its origin as a web origin.`,
		Example: `  library web    # for library serve and library idp on this machine
  library web --issuer https://login.example.org/realms/main --api https://library.example.org/library-server
  library web --name "Reading Room"`,
	}, env, cfg, untilStopped(func(cmd *cobra.Command) error {
		log := newLogs(env.Stderr, cfg.logFormat, cfg.logLevel)
		thisBuild().log(log.Logger)
		defer log.out.flush()
		return runWeb(cmd.Context(), cfg, log.Logger)
	}))
}

func runWeb(ctx context.Context, cfg *webConfig, log *slog.Logger) error {
	listener, err := listen("--addr", cfg.addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	page := cfg.client()
	page.Library = askedLibrary(page.API, time.Now)
	client, err := web.New(page)
	if err != nil {
		return err
	}
	log.Info("listening", "addr", listener.Addr().String(), "basePath", cfg.basePath, "issuer", cfg.issuer, "api", cfg.api)
	return serveUntil(ctx, log, serving{server: newHTTPServer(client, log, 1), listener: listener})
}
