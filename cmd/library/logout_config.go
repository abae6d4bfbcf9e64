package main

import (
	"context"
	"log/slog"
	"time"

	"example.org/library/auth"
	"example.org/library/cli/command"
	"example.org/library/httpapi"
	"example.org/library/service"
)

// logoutConfig configures logouts at the identity provider (OpenID Connect Back-Channel Logout).
type logoutConfig struct {
	on        bool
	audience  string
	audiences []string // the others
	keep      time.Duration
}

const (
	usualLogoutKeep = "24h"
	maxLogoutKeep   = 30 * 24 * time.Hour
)

func (c *logoutConfig) settings() []setting {
	return []setting{
		{flag: "logout", value: "false", boolean: true, usage: "take logout tokens of the provider at POST /logout, so that a session that ends there ends here", set: boolean(&c.on)},
		{flag: "logout-audience", usage: "client ids for which the provider sends logout tokens, separated by commas; required with --logout", list: true, set: optional(audienceList(&c.audience, &c.audiences))},
		{flag: "logout-keep", value: usualLogoutKeep, usage: "how long an ended session is kept, at most 720h; tokens that are good for longer are refused with --logout", set: valid(&c.keep, "a duration from 1s to 720h, such as 24h", func(v string) (time.Duration, bool) {
			d, err := time.ParseDuration(v)
			return d, err == nil && d >= time.Second && d <= maxLogoutKeep
		})},
	}
}

func (c *serveConfig) checkLogout() (problems []command.Problem) {
	for _, given := range []struct {
		flag string
		is   bool
	}{{"--logout", c.logout.on}, {"--logout-audience", c.logout.audience != ""}} {
		if given.is && c.auth == "basic" {
			problems = append(problems, problem(given.flag, "is about tokens, and --auth basic takes none"))
		}
	}
	switch {
	case c.auth == "basic":
	case c.logout.on && c.logout.audience == "":
		problems = append(problems, problem("--logout-audience", "is required with --logout: the client ids for which your provider sends logout tokens, such as library-web (LIBRARY_LOGOUT_AUDIENCE)"))
	case !c.logout.on && c.logout.audience != "":
		problems = append(problems, problem("--logout-audience", "needs --logout"))
	}
	return problems
}

// newLogouts returns the ended sessions of the provider, nil without --logout.
func (c *serveConfig) newLogouts(keys *auth.KeySet) *auth.Logouts {
	if !c.logout.on {
		return nil
	}
	return auth.NewLogouts(auth.LogoutConfig{
		Issuer: c.issuer, Audiences: append([]string{c.logout.audience}, c.logout.audiences...), Keep: c.logout.keep, ClockSkew: c.clockSkew, Keys: keys,
	})
}

// watchLogouts loads the ended sessions before the first request, and follows those ended elsewhere.
func watchLogouts(ctx context.Context, lib *service.Service, logouts *auth.Logouts, log *slog.Logger) (stop func(), err error) {
	if logouts == nil {
		return func() {}, nil
	}
	return httpapi.WatchLogouts(ctx, lib, logouts, log)
}
