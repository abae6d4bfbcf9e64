package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.org/library/cli/command"
	"example.org/library/httpapi"
	"example.org/library/internal/httpserver"
	"example.org/library/web"
)

// servedClient is the browser client as `library serve --web` serves it. Its
// variables are those of `library web`: it is the same client.
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
		{flag: "web-addr", value: usualWebAddr, usage: "address of the browser client; that of the API puts both under one", set: listenAddress(&c.addr)},
		{flag: "web-api", usage: "address of the API, as browsers reach it; by default where it listens on this machine", set: browserAddress(&c.api)},
		{flag: "web-client-id", value: "library-web", usage: "name under which the provider knows the browser client", set: quotable(&c.clientID)},
		{flag: "web-scopes", value: web.DefaultScopes, usage: "scopes to ask the provider for", set: scopes(&c.scopes)},
		{flag: "web-base-path", value: "/", usage: "path under which the browser client lives; / for none", set: basePath(&c.basePath)},
	}
}

// sharesAddress reports whether API and client are under one address. A free
// port is another one each time.
func (c *serveConfig) sharesAddress() bool {
	return c.web.on && c.web.addr == c.addr && !strings.HasSuffix(c.addr, ":0")
}

// hasWebListener reports whether the client has an address of its own.
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
		problems = append(problems, problem("--web-addr", "is that of the API, too; then --base-path and --web-base-path must tell them apart, such as /library-server and /"))
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

// clientAddress is where somebody on this machine opens the browser client.
func (c *serveConfig) clientAddress(web net.Listener) string {
	return c.scheme() + reachableAt(web) + c.web.basePath + "/"
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

// clientOrigins are those that the API allows. Who has named none need not
// name the one that is served here.
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

// newClient is the browser client of this configuration.
func (c *serveConfig) newClient(api net.Listener) (http.Handler, error) {
	return web.New(web.Config{
		Issuer: c.issuer, API: c.apiAddress(api), ClientID: c.web.clientID, BasePath: c.web.basePath, Scopes: c.web.scopes,
		Name: c.name, PublicCatalogue: c.public.on, TLS: c.speaksTLS(), Library: func(context.Context) web.Library { return c.wantsOfClients(c.apiAddress(api)) },
	})
}

// beside lets the API and the client live under one address: what is below the
// API's path is the API's. So are the paths of the management listener, which the
// API does not have: the client answers any path with its page, and a proxy that
// asks for /readyz at the wrong port would take that for a yes.
func beside(path string, api, client http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isBelow(r.URL.Path, path) || isBelow(r.URL.Path, httpapi.ResourcePath) || !strings.HasPrefix(r.URL.Path, "/") || slices.Contains(httpapi.ManagementPaths, r.URL.Path) {
			api.ServeHTTP(w, r)
			return
		}
		client.ServeHTTP(w, r)
	})
}

// newWebServer is the server of a client with an address of its own.
func (c *serveConfig) newWebServer(h http.Handler, log *slog.Logger, certs certificates) *httpserver.Server {
	return httpserver.New(httpserver.Config{
		Handler: h, Log: log, Limits: httpserver.DefaultLimits(httpserver.Connections(max(c.sharing, 2))),
		Certificate: certs.get, Proof: certs.proof,
	})
}
