package doctor

import (
	"cmp"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/auth/claims"
	"example.org/library/cli/command"
	"example.org/library/terminal"
)

// checkRoles looks at what the person may do and, if that is nothing, where the
// role got lost on its way.
func (x *examination) checkRoles(me api.Me) {
	const check = "roles"
	text, advice := "", ""
	switch roles := command.RolesOf(me.Authorities); {
	case len(roles) > 0 && command.RolesFrom(me) != "":
		x.ok(check, command.JoinRoles(roles)+"; they come from "+command.RolesFrom(me))
		return
	case len(roles) > 0:
		x.ok(check, command.JoinRoles(roles))
		return
	case me.RolesFrom == api.RolesFromRecord:
		text = "the library takes roles from its records, and yours has none"
		advice = "Ask an admin of the library for '" + command.GiveRole(me.User, string(library.RoleUser)) + "'. You need not sign in again."
	case me.RolesClaim != "":
		text, advice = x.lostInClaim(me)
	default:
		text, advice = x.lostRole(me)
	}
	x.bad(check, "none: "+text, advice)
}

// lostRole says why the library finds no role in a token.
func (x *examination) lostRole(me api.Me) (text, advice string) {
	const restart = "The people who run the library have to start it "
	inScope := slices.ContainsFunc(x.claims.Scope, isLibraryRole)
	inGroups := slices.ContainsFunc(x.claims.Groups, isLibraryRole)
	asPath := slices.ContainsFunc(x.claims.Groups, func(group string) bool {
		return strings.HasPrefix(group, "/") && isLibraryRole(group[strings.LastIndexByte(group, '/')+1:])
	})
	fromGroups := slices.ContainsFunc(x.claims.Groups, func(group string) bool {
		return slices.Contains(me.Authorities, "ROLE_"+strings.ToUpper(group))
	})
	const barePath = "The identity provider has to put the names of groups into the token without their path; sign in again afterwards."
	switch {
	case slices.ContainsFunc(me.Authorities, func(s string) bool { return strings.HasPrefix(s, "SCOPE_") }):
		return "the library takes no scope for a role", restart + "without --authorities plain."
	case asPath && fromGroups:
		return "the token has your role as the path of a group, with a slash, and the library takes names alone", barePath
	case asPath && !inScope:
		return "the token has your role as the path of a group, and the library does not look there", barePath + " " + restart + "with --authorities groups."
	case inScope:
		return "the token has your role as a scope, and the library looks at groups",
			restart + "with --authorities scope; or the identity provider has to put the role into the claim groups."
	case inGroups:
		return "the token has your role as a group, and the library does not look there", restart + "with --authorities groups."
	}
	anotherClaim := ""
	if other := x.elsewhere("scope"); other != "" {
		anotherClaim = " Or they name another claim with --authorities-claim, and say with --role-map what its values mean; the token has " + other + "."
	}
	if len(me.Roles) > 0 {
		return "the library knows your role, but takes it from the token, which has none",
			"Ask for library_user at the identity provider, then sign in again; or the people who run the library start it with --authorities local." + anotherClaim
	}
	advice = "Ask for library_user, library_curator or library_admin at the identity provider, then sign in again." +
		strings.Replace(anotherClaim, "they", "the people who run the library", 1)
	return "you can look at books, but not borrow any; the scopes of the token are " + cmp.Or(strings.Join(x.claims.Scope, " "), nobody), advice
}

// lostInClaim says why a claim that a setting of the library names gives no role.
func (x *examination) lostInClaim(me api.Me) (text, advice string) {
	claim, other := terminal.Clean(me.RolesClaim), x.elsewhere(me.RolesClaim)
	const again = "; sign in again afterwards."
	switch me.RolesMissing {
	case api.RolesMissingElsewhere:
		return "the token says that its claim " + claim + " has to be fetched elsewhere (_claim_names), as Microsoft Entra ID does for people in very many groups, and the library does not do that",
			"The identity provider has to put only the groups that are assigned to the application, or roles of the application, into its tokens" + again
	case api.RolesMissingUsable:
		return "the claim " + claim + " of the token is neither text, a list of texts nor an object",
			"The people who run the library have to name the right claim with --authorities-claim."
	case api.RolesMissingClaim:
		advice = "The identity provider has to put " + claim + " into the tokens of the client " + x.clientID + again
		if other != "" {
			advice += " Or the people who run the library name another claim with --authorities-claim; the token has " + other + "."
		}
		return "the library takes roles from the claim " + claim + ", which the token does not have", advice
	case api.RolesMissingMapped:
		values, _ := x.claims.All.Values(me.RolesClaim)
		return "the library's --role-map has none of the values of the claim " + claim + ": " + x.valuesAt(me.RolesClaim),
			"The people who run the library have to add one of them to --role-map, such as " + string(library.RoleUser) + "=" + encodeValue(values) + "; or the identity provider has to give you one that is there."
	}
	return "the values of the claim " + claim + " are not names of roles: " + cmp.Or(x.valuesAt(me.RolesClaim), nobody),
		"The people who run the library have to say with --role-map what they mean; or the identity provider has to give you library_user, library_curator or library_admin there."
}

// encodeValue is the first of the values as it is written in a role map.
func encodeValue(values []string) string {
	if len(values) == 0 {
		return "…"
	}
	return terminal.Clean(claims.EncodeValue(values[0]))
}

func isLibraryRole(s string) bool {
	return slices.ContainsFunc(library.Roles, func(r library.Role) bool { return strings.EqualFold(s, string(r)) })
}
