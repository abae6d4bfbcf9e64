package main

import (
	"context"
	"errors"
	"log/slog"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/auth/claims"
)

// hasNoUsers reports whether the library is known to have no user.
func hasNoUsers(ctx context.Context, store library.UserStore) bool {
	n, err := store.CountUsers(ctx, library.UserQuery{})
	return err == nil && n == 0
}

// sayWhoBegins says whether the person of --bootstrap-user was added, or that nobody
// can sign in because there is no user and nobody was named.
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

// sayWhatAdminNeeds logs what the first admin needs besides the record. The record
// has the role; whether that counts depends on where roles come from.
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

// adminNeeds says what the first admin needs, or why nobody can be one.
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
