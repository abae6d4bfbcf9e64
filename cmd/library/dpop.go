package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"example.org/library/auth"
	"example.org/library/auth/dpop"
	"example.org/library/cli/command"
	"example.org/library/sqlstore"
)

// dpopSettings are about tokens that are bound to a key of the caller (RFC 9449).
func (c *serveConfig) dpopSettings() []setting {
	return []setting{
		{flag: "dpop", value: "off", usage: "tokens that are bound to a key, with DPoP proofs: off, allowed or required",
			set: valid(&c.dpop, "one of off, allowed, required", func(v string) (dpop.Mode, bool) {
				mode, err := dpop.ParseMode(v)
				return mode, err == nil
			})},
		{flag: "dpop-nonce", value: "false", boolean: true, usage: "DPoP proofs must have a nonce of the service, which is told in DPoP-Nonce", set: boolean(&c.dpopNonce)},
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

func (c *serveConfig) checkDPoP() []command.Problem {
	if c.dpop != dpop.Off && c.auth == "basic" {
		return []command.Problem{problem("--dpop", "is about tokens, and --auth basic takes none")}
	}
	return nil
}

// withDPoP is the scheme that takes bound tokens, too, if it is to.
func (c *serveConfig) withDPoP(bearer *auth.Bearer, log *slog.Logger) (auth.Scheme, error) {
	if c.dpop == dpop.Off {
		return bearer, nil
	}
	if c.publicAPI == "" {
		log.Warn("proofs of DPoP are taken for any host name, because --public-api-url does not say which one is this library's", "dpop", c.dpop)
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
