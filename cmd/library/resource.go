package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"example.org/library/auth/dpop"
	"example.org/library/cli/command"
	"example.org/library/client"
	"example.org/library/httpapi"
	"example.org/library/web"
)

// resourceSettings are about what the API says of itself to anybody (RFC 9728).
func (c *serveConfig) resourceSettings() []setting {
	return []setting{
		{flag: "resource-metadata", value: "false", boolean: true, usage: "tell anybody which identity provider the library trusts, so that clients need only its address", set: boolean(&c.tellsResource)},
		{flag: "login-scopes", usage: "scopes that clients ask the provider for, separated by spaces, in these metadata", set: scopeWords(&c.loginScopes)},
		{flag: "login-audience", usage: "parameter audience that clients send to the provider, in these metadata", set: optional(quotable(&c.loginAudience))},
	}
}

// scopeWords are words with one space between them, or none.
func scopeWords(into *string) func(string) error {
	return func(v string) error {
		words := strings.Fields(v)
		for _, word := range words {
			if err := quotable(new(string))(word); err != nil {
				return fmt.Errorf("is %q; it must be words without quotes, separated by spaces", v)
			}
		}
		*into = strings.Join(words, " ")
		return nil
	}
}

func (c *serveConfig) checkResource() []command.Problem {
	if c.tellsResource && c.auth == "basic" {
		return []command.Problem{problem("--resource-metadata", "names the identity provider, and --auth basic has none")}
	}
	return nil
}

// resource is what the API says of itself, nil for nothing.
func (c *serveConfig) resource() *httpapi.Resource {
	if !c.tellsResource {
		return nil
	}
	return &httpapi.Resource{Issuer: c.issuer, PublicURL: c.publicAPI, LoginScopes: strings.Fields(c.loginScopes), LoginAudience: c.loginAudience}
}

// wantsOfClients is what the browser client has to know before somebody signs in.
func (c *serveConfig) wantsOfClients(api string) web.Library {
	l := web.Library{DPoP: c.dpop != dpop.Off}
	if c.tellsResource {
		l.Resource, l.Audience, l.Scopes = cmp.Or(strings.TrimSuffix(c.publicAPI, "/"), api), c.loginAudience, strings.Fields(c.loginScopes)
	}
	return l
}

// How often a library that is elsewhere is asked.
const (
	askLibraryPause   = time.Minute
	askLibraryAnother = 5 * time.Second // after it did not answer, if something is known of it
)

// askedLibrary is the same for a library that is elsewhere: it is asked, once a minute
// at most. While it does not answer, what is known stays: a page that forgot that bound
// tokens are wanted would ask for tokens that are refused, or can be stolen.
func askedLibrary(api string, now func() time.Time) func(context.Context) web.Library {
	var mu sync.Mutex
	var known web.Library
	var again time.Time
	return func(ctx context.Context) web.Library {
		mu.Lock()
		defer mu.Unlock()
		if now().Before(again) {
			return known
		}
		r, err := client.FindResource(ctx, api)
		switch {
		case err == nil:
			known, again = web.Library{DPoP: r.DPoP, Resource: r.Address, Audience: r.Audience, Scopes: r.Scopes}, now().Add(askLibraryPause)
		case !again.IsZero() && ctx.Err() == nil:
			again = now().Add(askLibraryAnother)
		}
		return known
	}
}
