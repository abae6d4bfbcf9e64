package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.org/library/cli/command"
	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
	"example.org/library/web"
)

// webConfig configures `library web`.
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
		{flag: "client-id", value: "library-web", usage: "client id of the browser client at the provider", set: quotable(&c.clientID)},
		{flag: "scopes", value: web.DefaultScopes, usage: "scopes to ask the provider for", set: scopes(&c.scopes)},
		{flag: "base-path", value: "/", usage: "path of the client; / for none", set: basePath(&c.basePath)},
		{flag: "public-catalogue", value: "false", boolean: true, usage: "show the catalogue before people sign in; the API needs this setting, too", set: boolean(&c.public)},
		{flag: "log-format", value: "text", usage: "text or json", set: oneOf(&c.logFormat, "text", "json")},
		{flag: "log-level", value: "info", usage: "debug, info, warn or error", set: logLevel(&c.logLevel)},
	}
	return append(inGroup("WEB_", all), nameSetting(&c.name))
}

// browserAddress accepts an address for the policy of the page.
func browserAddress(into *string) func(string) error {
	return func(v string) error {
		err := webAddress(into)(v)
		if err == nil && v != "" {
			err = web.CheckAddress(v)
		}
		return err
	}
}

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
	return serveUntil(ctx, log, serving{server: newServer(client, log, httpserver.Connections(1), certificates{}), listener: listener})
}

// servedClient is the browser client of `library serve --web`. Its variables are the ones of
// `library web`: it is the same client.
type servedClient struct {
	on       bool
	addr     string
	api      string // "" for where the API listens
	clientID string
	scopes   string
	basePath string
}

func (c *servedClient) settings() []setting {
	return []setting{
		{flag: "web", value: "false", boolean: true, usage: "serve the browser client, too", set: boolean(&c.on)},
		{flag: "web-addr", value: usualWebAddr, usage: "address of the browser client; the API's own puts both under one", set: listenAddress(&c.addr)},
		{flag: "web-api", usage: "address of the API, as browsers reach it; by default where it listens on this machine", set: browserAddress(&c.api)},
		{flag: "web-client-id", value: "library-web", usage: "client id of the browser client at the provider", set: quotable(&c.clientID)},
		{flag: "web-scopes", value: web.DefaultScopes, usage: "scopes to ask the provider for", set: scopes(&c.scopes)},
		{flag: "web-base-path", value: "/", usage: "path of the browser client; / for none", set: basePath(&c.basePath)},
	}
}

// sharesAddress reports whether API and client are under one address. A free
// port is another one each time.
func (c *serveConfig) sharesAddress() bool {
	return c.web.on && c.web.addr == c.addr && !strings.HasSuffix(c.addr, ":0")
}

func (c *serveConfig) hasWebListener() bool { return c.web.on && !c.sharesAddress() }

func (c *serveConfig) checkWeb() (problems []command.Problem) {
	if !c.web.on {
		return nil
	}
	if c.auth != "bearer" {
		problems = append(problems, problem("--web", "needs --auth bearer: the browser client signs people in at the identity provider"))
	}
	if c.issuer != "" && web.CheckAddress(c.issuer) != nil {
		problems = append(problems, problem("--issuer", "cannot stand in the policy of the browser client (--web): "+web.CheckAddress(c.issuer).Error()))
	}
	if c.sharesAddress() && (c.basePath == "" || isBelow(c.web.basePath, c.basePath)) {
		problems = append(problems, problem("--web-addr", "is the API's, too; then --base-path and --web-base-path must tell them apart, such as /library-server and /"))
	}
	return problems
}

// isBelow reports whether a path is another one, or lies below it.
func isBelow(path, other string) bool { return path == other || strings.HasPrefix(path, other+"/") }

// apiAddress is where browsers find the API.
func (c *serveConfig) apiAddress(api net.Listener) string {
	if c.web.api != "" {
		return strings.TrimSuffix(c.web.api, "/")
	}
	return c.scheme() + reachableAt(api) + c.basePath
}

func (c *serveConfig) scheme() string {
	if c.speaksTLS() {
		return "https://"
	}
	return "http://"
}

// reachableAt is host and port of a listener, as programs on this machine reach it.
func reachableAt(l net.Listener) string {
	host, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return l.Addr().String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() || ip.IsLoopback() {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

// clientOrigins returns the origins allowed by the API: the configured ones, or else the origin of
// the client served here.
func (c *serveConfig) clientOrigins(on listeners) []string {
	origins := slices.Clone(c.origins)
	switch {
	case c.sharesAddress():
		if u, err := url.Parse(c.apiAddress(on.api)); err == nil {
			origins = append(origins, u.Host)
		}
	case on.web != nil && slices.Equal(origins, []string{usualOrigin}):
		origins = append(origins, reachableAt(on.web))
	}
	return origins
}

// The defaults of --client-origin and of --web-addr belong together.
const (
	usualOrigin  = "localhost:4200"
	usualWebAddr = ":4200"
)

func (c *serveConfig) newClient(api net.Listener) (http.Handler, error) {
	return web.New(web.Config{
		Issuer: c.issuer, API: c.apiAddress(api), ClientID: c.web.clientID, BasePath: c.web.basePath, Scopes: c.web.scopes,
		Name: c.name, PublicCatalogue: c.public.on, TLS: c.speaksTLS(), Library: func(context.Context) web.Library { return c.wantsOfClients(c.apiAddress(api)) },
	})
}

// beside serves the API and the client under one address: paths below the API's path go to the
// API. So do the paths of the management listener, unknown to the API: the client answers any path
// with its page, and a proxy asking for /readyz at the wrong port would take that page for a yes.
func beside(path string, api, client http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isBelow(r.URL.Path, path) || isBelow(r.URL.Path, httpapi.ResourcePath) || !strings.HasPrefix(r.URL.Path, "/") || slices.Contains(httpapi.ManagementPaths, r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		client.ServeHTTP(w, r)
	})
}
