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
	"example.org/library/cli/command"
	"example.org/library/signin"
)

// claimSettings say where in a token the data of a caller are.
func claimSettings(c *claims.Mapping, userinfo *bool) []setting {
	return []setting{
		{flag: "email-claim", value: "email", usage: "the claim with the e-mail address, such as preferred_username or upn", set: claimName(&c.EmailClaim)},
		{flag: "authorities-claim", usage: "the claim with scopes or groups, or a path to it such as realm_access.roles; by default scope or groups, as --authorities says", set: optional(claimName(&c.AuthoritiesClaim))},
		{flag: "role-map", usage: "roles by values of that claim, such as LIBRARY_USER=readers,staff;LIBRARY_ADMIN=it; other values give none. With --scim and --authorities local: by groups of the directory", set: roleMap(&c.Roles)},
		{flag: "audience-claim", value: "aud", usage: "the claim with the audience of a token, for providers without aud in access tokens, such as client_id", set: claimName(&c.AudienceClaim)},
		{flag: "userinfo", value: "off", usage: "on asks the provider's userinfo endpoint for the e-mail address missing in a good token", set: valid(userinfo, "one of off, on", func(v string) (bool, bool) {
			return v == "on", v == "on" || v == "off"
		})},
		{flag: "tokens", value: string(claims.AccessTokens), usage: "access, or id to take the ID tokens of a client (--audience) instead", set: valid(&c.Tokens, "one of access, id", func(v string) (claims.Kind, bool) {
			kind, err := claims.ParseKind(v)
			return kind, err == nil
		})},
	}
}

// mapping returns the claims mapping of these settings and --authorities.
func (c *serveConfig) mapping() claims.Mapping {
	m := c.claims
	m.Authorities = c.authorities
	return m
}

// idleClaims returns settings without effect under this --authorities.
func (c *serveConfig) idleClaims() (idle []string) {
	mode := c.authorities
	if mode == auth.ModeLocal && c.claims.AuthoritiesClaim != "" {
		idle = append(idle, "--authorities-claim needs another --authorities than local")
	}
	if mode == auth.ModePlain && c.claims.Roles != nil {
		idle = append(idle, "--role-map needs another --authorities than plain")
	}
	return idle
}

// sayWhoCanCall warns of settings that let more callers in than people may think.
func (c *serveConfig) sayWhoCanCall(log *slog.Logger) {
	if c.claims.Tokens == claims.IDTokens {
		log.Warn("--tokens id: ID tokens are taken instead of access tokens, so any program with an ID token of this client can call the library in the person's name; " +
			"give the library a client of its own, and use access tokens where the provider has any that can be read")
	}
	if needs := c.needsVerified(); needs != "" && c.claims.EmailClaim != "email" {
		log.Warn(needs + " goes by the claim email_verified, but providers mean the claim email with it, and the address is taken from another one: " +
			"a token can have somebody else's address there and a verified one in email; make sure that people cannot choose what is in the claim of --email-claim")
	}
}

// needsVerified returns the setting that requires verified addresses, or "".
func (c *serveConfig) needsVerified() string {
	switch {
	case c.verifiedEmail:
		return "--require-verified-email"
	case c.provisions() && !c.people.unverified:
		return "--provision"
	}
	return ""
}

// audienceList parses one or more audiences; challenges name the first.
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

func (c *serveConfig) valuesFor(role library.Role) []string {
	values := slices.DeleteFunc(slices.Collect(maps.Keys(c.claims.Roles)), func(value string) bool {
		return !slices.Contains(c.claims.Roles[value], string(role))
	})
	slices.SortFunc(values, cmp.Compare[string])
	return values
}

// peopleConfig configures records made without an admin, and how surely callers are tied to
// theirs.
type peopleConfig struct {
	provision  string // off or login
	unverified bool
	roles      []library.Role
	bind       string // off or on
}

func (c *peopleConfig) settings() []setting {
	return []setting{
		{flag: "provision", value: "off", usage: "login: a valid token with a role makes the record of a person unknown to the library; or off", set: oneOf(&c.provision, "off", "login")},
		{flag: "provision-unverified", value: "false", boolean: true, usage: "also with an e-mail address that the provider has not verified", set: boolean(&c.unverified)},
		{flag: "provision-roles", usage: "roles of such a record, such as LIBRARY_USER; required with --authorities local, where tokens bring none", list: true, set: optional(roleList(&c.roles))},
		{flag: "bind-subject", value: "off", usage: "on: a record belongs to the provider's first subject with its address; or off", set: oneOf(&c.bind, "off", "on")},
	}
}

func roleList(into *[]library.Role) func(string) error {
	names := make([]string, len(library.Roles))
	for i, r := range library.Roles {
		names[i] = string(r)
	}
	return valid(into, "some of "+strings.Join(names, ", ")+", separated by commas", func(v string) (roles []library.Role, good bool) {
		for name := range strings.SplitSeq(v, ",") {
			role := library.Role(strings.TrimSpace(name))
			if !slices.Contains(library.Roles, role) {
				return nil, false
			}
			roles = append(roles, role)
		}
		return roles, true
	})
}

func (c *serveConfig) provisions() bool { return c.auth == "bearer" && c.people.provision == "login" }

func (c *serveConfig) signIn() signin.Rules {
	return signin.Rules{
		Binds: c.bindsSubjects(), Provisions: c.provisions(), Unverified: c.people.unverified, Roles: c.people.roles,
	}
}

func (c *serveConfig) bindsSubjects() bool { return c.auth == "bearer" && c.people.bind == "on" }

func (c *serveConfig) checkPeople() (problems []command.Problem) {
	isLocal := c.authorities == auth.ModeLocal
	if c.provisions() && isLocal && len(c.people.roles) == 0 {
		problems = append(problems, problem("--provision-roles", "is required with --provision login and --authorities local: tokens bring no roles there, so name the roles of a new record, such as LIBRARY_USER (LIBRARY_PROVISION_ROLES)"))
	}
	if c.auth == "bearer" && !isLocal && len(c.people.roles) > 0 {
		problems = append(problems, problem("--provision-roles", "is for --authorities local alone: elsewhere roles come from the token"))
	}
	return problems
}

// idlePeople returns settings without effect.
func (c *serveConfig) idlePeople() (idle []string) {
	if c.auth != "bearer" && (c.people.provision == "login" || c.people.bind == "on") {
		idle = append(idle, "--provision and --bind-subject need --auth bearer")
	}
	if c.people.provision == "off" && (c.people.unverified || len(c.people.roles) > 0) {
		idle = append(idle, "--provision-unverified and --provision-roles need --provision login")
	}
	if c.provisions() && c.authorities == auth.ModePlain {
		idle = append(idle, "--provision needs another --authorities than plain, with which nobody has a role")
	}
	return idle
}
