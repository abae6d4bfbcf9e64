package main

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/library"
	"example.org/library/auth"
	"example.org/library/auth/claims"
)

// claimSettings say where in a token the data of a caller are.
func claimSettings(c *claims.Mapping, userinfo *bool) []setting {
	return []setting{
		{flag: "email-claim", value: "email", usage: "the claim with the e-mail address, such as preferred_username or upn", set: claimName(&c.EmailClaim)},
		{flag: "authorities-claim", usage: "the claim with scopes or groups, or a path to it such as realm_access.roles; by default scope or groups, as --authorities says", set: optional(claimName(&c.AuthoritiesClaim))},
		{flag: "role-map", usage: "which values of that claim give which role, such as LIBRARY_USER=readers,staff;LIBRARY_ADMIN=it; values that are not in it give none", set: roleMap(&c.Roles)},
		{flag: "audience-claim", value: "aud", usage: "the claim that says for whom a token is, for providers whose access tokens have no aud, such as client_id", set: claimName(&c.AudienceClaim)},
		{flag: "userinfo", value: "off", usage: "on asks the provider's userinfo endpoint for the e-mail address of a good token that has none", set: valid(userinfo, "one of off, on", func(v string) (bool, bool) {
			return v == "on", v == "on" || v == "off"
		})},
		{flag: "tokens", value: string(claims.AccessTokens), usage: "access, or id to take the ID tokens of a client (--audience) instead", set: valid(&c.Tokens, "one of access, id", func(v string) (claims.Kind, bool) {
			kind, err := claims.ParseKind(v)
			return kind, err == nil
		})},
	}
}

// mapping is what these settings come to, together with --authorities.
func (c *serveConfig) mapping() claims.Mapping {
	m := c.claims
	m.Authorities = c.authorities
	return m
}

// idleClaims are settings that do nothing because of where roles come from.
func (c *serveConfig) idleClaims() (idle []string) {
	mode := c.authorities
	if mode == auth.ModeLocal && c.claims.AuthoritiesClaim != "" {
		idle = append(idle, "--authorities-claim needs another --authorities than local")
	}
	if (mode == auth.ModeLocal || mode == auth.ModePlain) && c.claims.Roles != nil {
		idle = append(idle, "--role-map needs another --authorities than "+string(mode))
	}
	return idle
}

// sayWhoCanCall warns of settings that let more callers in than people may think.
func (c *serveConfig) sayWhoCanCall(log *slog.Logger) {
	if c.claims.Tokens == claims.IDTokens {
		log.Warn("--tokens id: ID tokens are taken instead of access tokens, so whatever gets an ID token of this client can call the library in that person's name; " +
			"give the library a client of its own, and use access tokens where the provider has any that can be read")
	}
	if needs := c.needsVerified(); needs != "" && c.claims.EmailClaim != "email" {
		log.Warn(needs + " goes by the claim email_verified, with which providers speak of the claim email, and the address is taken from another one: " +
			"a token can have somebody else's address there and a verified one in email; make sure that people cannot choose what is in the claim of --email-claim")
	}
}

// needsVerified is the setting that takes addresses only if they are verified, "" if none does.
func (c *serveConfig) needsVerified() string {
	switch {
	case c.verifiedEmail:
		return "--require-verified-email"
	case c.provisions() && !c.people.unverified:
		return "--provision"
	}
	return ""
}

// audienceList is one or more audiences, of which challenges name the first.
func audienceList(first *string, others *[]string) func(string) error {
	return func(v string) error {
		var all []string
		for piece := range strings.SplitSeq(v, ",") {
			var audience string
			if err := quotable(&audience)(strings.TrimSpace(piece)); err != nil {
				return fmt.Errorf("%w; several are separated by commas", err)
			}
			all = append(all, audience)
		}
		*first, *others = all[0], all[1:]
		return nil
	}
}

// longestClaimName is more than any claim needs; it bounds the steps of a path.
const longestClaimName = 200

func claimName(into *string) func(string) error {
	return func(v string) error {
		if v == "" || len(v) > longestClaimName || !utf8.ValidString(v) || strings.ContainsFunc(v, unicode.IsControl) {
			return fmt.Errorf("must be the name of a claim, with up to %d characters", longestClaimName)
		}
		*into = v
		return nil
	}
}

// optional lets a setting be left empty.
func optional(set func(string) error) func(string) error {
	return func(v string) error {
		if v == "" {
			return nil
		}
		return set(v)
	}
}

func roleMap(into *claims.RoleMap) func(string) error {
	return func(v string) error {
		var roles []string
		for _, role := range library.Roles {
			roles = append(roles, string(role))
		}
		parsed, err := claims.ParseRoleMap(v, roles)
		*into = parsed
		return err
	}
}

// adminClaim says what the first admin needs in the token.
func (c *serveConfig) adminClaim() (string, error) {
	word, claim := library.RoleAdmin.Scope(), c.mapping().RolesClaim()
	switch values := c.valuesFor(library.RoleAdmin); {
	case c.claims.Roles != nil && len(values) == 0:
		return "", errors.New("--role-map gives nobody the role " + string(library.RoleAdmin) + ", so nobody can manage the library")
	case c.claims.Roles != nil:
		return fmt.Sprintf("also needs one of these values in the claim %s of the token: %s", claim, strings.Join(values, ", ")), nil
	case c.authorities == auth.ModeGroups:
		return "also needs the group " + word + " at the identity provider, and tokens with it in the claim " + claim, nil
	case c.claims.AuthoritiesClaim != "":
		return "also needs " + word + " in the claim " + claim + " of the token; the identity provider must be configured to give it to this person", nil
	}
	return "also needs the scope " + word + " in the token; the identity provider must be configured to give it to this person", nil
}

// valuesFor are the values that give a role by the map.
func (c *serveConfig) valuesFor(role library.Role) []string {
	values := slices.DeleteFunc(slices.Collect(maps.Keys(c.claims.Roles)), func(value string) bool {
		return !slices.Contains(c.claims.Roles[value], string(role))
	})
	slices.SortFunc(values, cmp.Compare[string])
	return values
}
