package main

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"example.org/library/auth"
	"example.org/library/auth/dpop"
	"example.org/library/httpapi"
)

// newScheme is the way in which callers authenticate. It adds what must hold
// for that to work to checks.
func newScheme(ctx context.Context, cfg *serveConfig, log *slog.Logger, registry prometheus.Registerer, checks *[]httpapi.Check) (auth.Scheme, error) {
	if cfg.auth == "basic" {
		log.Warn("basic authentication is the earlier mode; use bearer tokens wherever you can")
		basic, err := auth.NewBasic(auth.BasicConfig{Path: cfg.htpasswd, Logger: log})
		if err != nil {
			return nil, fmt.Errorf("--htpasswd: %w", err)
		}
		return basic, nil
	}
	cfg.sayWhoCanCall(log)
	keys := auth.NewKeySet(auth.KeySetConfig{Issuer: cfg.issuer, URL: cfg.jwksURL, Logger: log})
	go keys.Run(ctx)
	registerKeySet(registry, keys)
	*checks = append(*checks, httpapi.Check{Name: "keys", Run: func(context.Context) error { return keys.Ready() }})
	bearer := auth.NewBearer(auth.Config{
		Issuer: cfg.issuer, Audience: cfg.audience, OtherAudiences: cfg.otherAudiences, Authorities: cfg.authorities, Mapping: cfg.mapping(),
		RequireVerifiedEmail: cfg.verifiedEmail, RequireSubject: cfg.bindsSubjects(), ClockSkew: cfg.clockSkew, Keys: keys,
		BoundTokens: cfg.dpop != dpop.Off, Userinfo: cfg.newUserinfo(log, registry),
	})
	return cfg.withDPoP(bearer, log)
}

// newUserinfo is what is asked for addresses that are not in tokens, nil for nobody.
func (c *serveConfig) newUserinfo(log *slog.Logger, registry prometheus.Registerer) *auth.Userinfo {
	if !c.userinfo {
		return nil
	}
	userinfo := auth.NewUserinfo(auth.UserinfoConfig{Issuer: c.issuer, Logger: log})
	registerUserinfo(registry, userinfo)
	return userinfo
}

// reloadable is the files that SIGHUP reads again.
func reloadable(cert *certificate, scheme auth.Scheme) (files []reloadableFile) {
	if cert != nil {
		files = append(files, reloadableFile{"certificate", cert.read})
	}
	if basic, ok := scheme.(*auth.Basic); ok {
		files = append(files, reloadableFile{"password file", basic.Reload})
	}
	return files
}
