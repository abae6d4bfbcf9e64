package doctor

import (
	"cmp"
	"slices"
	"strings"

	"example.org/library"
	"example.org/library/api"
	"example.org/library/cli/command"
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
	case len(me.Roles) > 0:
		return "the library knows your role, but takes it from the token, which has none",
			"Ask for library_user at the identity provider, then sign in again; or the people who run the library start it with --authorities local."
	}
	return "you can look at books, but not borrow any; the scopes of the token are " + cmp.Or(strings.Join(x.claims.Scope, " "), nobody),
		"Ask for library_user, library_curator or library_admin at the identity provider, then sign in again."
}

func isLibraryRole(s string) bool {
	return slices.ContainsFunc(library.Roles, func(r library.Role) bool { return strings.EqualFold(s, string(r)) })
}
