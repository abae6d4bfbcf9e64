package main

import (
	"log/slog"

	"example.org/library"
	"example.org/library/auth"
)

// sayWhatAdminNeeds tells what the user of --bootstrap-user needs besides the
// record that was added. The record has the role; whether that counts depends on
// where roles come from.
func sayWhatAdminNeeds(cfg *serveConfig, log *slog.Logger) {
	if cfg.bootstrapUser == "" {
		return
	}
	mode := "authorities=" + string(cfg.authorities)
	if cfg.auth == "basic" {
		mode = "auth=basic"
	}
	if cfg.auth == "bearer" && cfg.authorities == auth.ModePlain {
		log.Warn("--bootstrap-user: with --authorities plain nobody has a role, so nobody can manage the library; "+
			"use --authorities scope, groups or local", "mode", mode)
		return
	}
	log.Info("--bootstrap-user: the first admin, if there was no user yet, "+adminNeeds(cfg), "mode", mode)
}

func adminNeeds(cfg *serveConfig) string {
	word := library.RoleAdmin.Scope()
	switch {
	case cfg.auth == "basic":
		return "needs a line in the password file under this address, such as that of htpasswd -B"
	case cfg.authorities == auth.ModeLocal:
		return "needs nothing but a login at the identity provider with this address: the role is in the record"
	case cfg.authorities == auth.ModeGroups:
		return "also needs the group " + word + " at the identity provider, and tokens with it in the claim groups"
	default:
		return "also needs the scope " + word + " in the token; the identity provider must be told to give it to this person"
	}
}
