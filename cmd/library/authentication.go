package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/auth/claims"
	"example.org/library/auth/dpop"
	"example.org/library/client"
	"example.org/library/httpapi"
	"example.org/library/sqlstore"
	"example.org/library/web"
)

// newScheme returns the authentication scheme of the API, and the ended sessions of the provider if it
// tells. It adds its requirements to checks.
func newScheme(ctx context.Context, cfg *serveConfig, log *slog.Logger, registry prometheus.Registerer, checks *[]httpapi.Check) (auth.Scheme, *auth.Logouts, error) {
	if cfg.auth == "basic" {
		log.Warn("basic authentication is the earlier mode; use bearer tokens wherever you can")
		basic, err := auth.NewBasic(auth.BasicConfig{Path: cfg.htpasswd, Logger: log})
		if err != nil {
			return nil, nil, fmt.Errorf("--htpasswd: %w", err)
		}
		return basic, nil, nil
	}
	cfg.sayWhoCanCall(log)
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: cfg.issuer, URL: cfg.jwksURL, Logger: log})
	go keys.Run(ctx)
	registerKeySet(registry, keys)
	*checks = append(*checks, httpapi.Check{Name: "keys", Run: func(context.Context) error { return keys.Ready() }})
	logouts := cfg.newLogouts(keys)
	bearer := auth.NewBearer(auth.Config{
		Issuer: cfg.issuer, Audience: cfg.audience, OtherAudiences: cfg.otherAudiences, Authorities: cfg.authorities, Mapping: cfg.mapping(),
		RequireVerifiedEmail: cfg.verifiedEmail, RequireSubject: cfg.bindsSubjects(), ClockSkew: cfg.clockSkew, Keys: keys,
		BoundTokens: cfg.dpop != dpop.Off, Userinfo: cfg.newUserinfo(log, registry), Logouts: logouts,
	})
	scheme, err := cfg.withDPoP(bearer, log)
	return scheme, logouts, err
}

// newUserinfo returns the client for addresses missing in tokens, or nil.
func (c *serveConfig) newUserinfo(log *slog.Logger, registry prometheus.Registerer) *auth.Userinfo {
	if !c.userinfo {
		return nil
	}
	userinfo := auth.NewUserinfo(auth.UserinfoConfig{Issuer: c.issuer, Logger: log})
	registerUserinfo(registry, userinfo)
	return userinfo
}

// reloadable returns the files that SIGHUP reads again.
func reloadable(cert *certificate, scheme auth.Scheme) (files []reloadableFile) {
	if cert != nil {
		files = append(files, reloadableFile{"certificate", cert.read})
	}
	if basic, ok := scheme.(*auth.Basic); ok {
		files = append(files, reloadableFile{"password file", basic.Reload})
	}
	return files
}

// dpopSettings are about tokens bound to a key of the caller (RFC 9449).
func (c *serveConfig) dpopSettings() []setting {
	return []setting{
		{flag: "dpop", value: "off", usage: "tokens bound to a key, with DPoP proofs: off, allowed or required",
			set: valid(&c.dpop, "one of off, allowed, required", func(v string) (dpop.Mode, bool) {
				mode, err := dpop.ParseMode(v)
				return mode, err == nil
			})},
		{flag: "dpop-nonce", value: "false", boolean: true, usage: "DPoP proofs must have a nonce of the service, sent in DPoP-Nonce", set: boolean(&c.dpopNonce)},
		{flag: "public-api-url", usage: "address of the API with its base path, as callers see it; needed behind a proxy", set: addressWithoutQuery(&c.publicAPI)},
	}
}

func addressWithoutQuery(into *string) func(string) error {
	return func(v string) error {
		if err := webAddress(into)(v); err != nil {
			return err
		}
		if strings.Contains(v, "?") {
			return errors.New("has a query in it; it must be an address such as https://library.example.org/library-server")
		}
		return nil
	}
}

// withDPoP returns the scheme, with DPoP if it is switched on.
func (c *serveConfig) withDPoP(bearer *auth.Bearer, log *slog.Logger) (auth.Scheme, error) {
	if c.dpop == dpop.Off {
		return bearer, nil
	}
	if c.publicAPI == "" {
		log.Warn("proofs of DPoP are taken for any host name, because --public-api-url does not name this library's", "dpop", c.dpop)
	}
	return dpop.New(dpop.Config{Bearer: bearer, Mode: c.dpop, PublicURL: c.publicAPI, BasePath: c.basePath, Nonce: c.dpopNonce})
}

// shareNonces makes nonces good for all processes of the library.
func shareNonces(ctx context.Context, scheme auth.Scheme, store *sqlstore.Store) error {
	s, is := scheme.(*dpop.Scheme)
	if !is || !s.AsksForNonces() {
		return nil
	}
	key, err := store.Secret(ctx, "dpop-nonce")
	if err != nil {
		return fmt.Errorf("--dpop-nonce: %w", err)
	}
	s.UseNonceKey(key)
	return nil
}

// resourceSettings are about the public description of the API (RFC 9728).
func (c *serveConfig) resourceSettings() []setting {
	return []setting{
		{flag: "resource-metadata", value: "false", boolean: true, usage: "tell anybody the identity provider of the library, so that clients need only the library's address", set: boolean(&c.tellsResource)},
		{flag: "login-scopes", usage: "scopes for clients to ask the provider for, separated by spaces, in these metadata", set: scopeWords(&c.loginScopes)},
		{flag: "login-audience", usage: "parameter audience for clients to send to the provider, in these metadata", set: optional(quotable(&c.loginAudience))},
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

// resource returns the public description of the API, nil for none.
func (c *serveConfig) resource() *httpapi.Resource {
	if !c.tellsResource {
		return nil
	}
	return &httpapi.Resource{Issuer: c.issuer, PublicURL: c.publicAPI, LoginScopes: strings.Fields(c.loginScopes), LoginAudience: c.loginAudience}
}

// wantsOfClients returns the facts that the browser client needs before anybody signs in.
func (c *serveConfig) wantsOfClients(api string) web.Library {
	l := web.Library{DPoP: c.dpop != dpop.Off}
	if c.tellsResource {
		l.Resource, l.Audience, l.Scopes = cmp.Or(strings.TrimSuffix(c.publicAPI, "/"), api), c.loginAudience, strings.Fields(c.loginScopes)
	}
	return l
}

// How often a library elsewhere is asked.
const (
	askLibraryPause   = time.Minute
	askLibraryAnother = 5 * time.Second // after it did not answer, if something is known of it
)

// askedLibrary asks a library elsewhere for these facts, once a minute at most. While it does not
// answer, the last answer stays: a page without the DPoP requirement would ask for tokens that are
// refused, or can be stolen.
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

// hasNoUsers reports whether the library is known to have no user.
func hasNoUsers(ctx context.Context, store library.UserStore) bool {
	n, err := store.CountUsers(ctx, library.UserQuery{})
	return err == nil && n == 0
}

// sayWhoBegins logs whether the person of --bootstrap-user was added, or warns that nobody can
// sign in because there is no user and no --bootstrap-user.
func sayWhoBegins(ctx context.Context, cfg *serveConfig, store library.UserStore, wasEmpty bool, log *slog.Logger) {
	if cfg.bootstrapUser == "" {
		if !cfg.provisions() && hasNoUsers(ctx, store) {
			log.Warn("the library has no users, so nobody can use it yet: start it with --bootstrap-user (LIBRARY_BOOTSTRAP_USER) " +
				"and the e-mail address with which the first admin signs in, or with --provision login, which adds people at their first login")
		}
		return
	}
	_, _, err := store.UserByEmail(ctx, cfg.bootstrapUser)
	switch {
	case errors.Is(err, library.ErrUserNotFound):
		log.Info("--bootstrap-user: the person was not added, because the library has users; an admin adds others with 'library users add'")
	case err != nil: // requests will fail, too
	case wasEmpty:
		log.Info("--bootstrap-user: the person was added, because the library had no users")
		sayWhatAdminNeeds(cfg, log)
	default:
		log.Info("--bootstrap-user: nobody was added, because the person is a user already")
		sayWhatAdminNeeds(cfg, log)
	}
}

// sayWhatAdminNeeds logs the requirements for the first admin besides the record. The record has
// the role; whether that counts depends on --authorities.
func sayWhatAdminNeeds(cfg *serveConfig, log *slog.Logger) {
	mode := "authorities=" + string(cfg.authorities)
	if cfg.auth == "basic" {
		mode = "auth=basic"
	}
	needs, err := adminNeeds(cfg)
	if err != nil {
		log.Warn("--bootstrap-user: "+err.Error(), "mode", mode)
		return
	}
	log.Info("--bootstrap-user: the first admin "+needs, "mode", mode)
}

// adminNeeds describes the requirements for the first admin, or why nobody can be one.
func adminNeeds(cfg *serveConfig) (string, error) {
	switch {
	case cfg.auth == "basic":
		return "needs a line in the password file under this address, such as that of htpasswd -B", nil
	case cfg.authorities == auth.ModeLocal:
		return "needs nothing but a login at the identity provider with this address: the role is in the record", nil
	case cfg.authorities == auth.ModePlain:
		return "", errors.New("with --authorities plain nobody has a role, so nobody can manage the library; use --authorities " +
			claims.ModeNames(" or ", auth.ModePlain))
	}
	return cfg.adminClaim()
}
