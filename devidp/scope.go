package devidp

import (
	"slices"
	"strings"
)

// Scopes known to the provider.
const (
	scopeUser    = "library_user"
	scopeCurator = "library_curator"
	scopeAdmin   = "library_admin"
	scopeEmail   = "email"
	scopeProfile = "profile"
	scopeOpenID  = "openid"
	scopeOffline = "offline_access"
)

// libraryScopes belong to the groups of the same names.
var libraryScopes = []string{scopeUser, scopeCurator, scopeAdmin}

// grantedScopes returns the scopes of an account: always one for each of its library groups,
// because membership is enough and asking for another one never helps; always e-mail and profile,
// because the library service finds its users by e-mail; and openid and offline_access if asked for,
// because they add a token or change one. Other scopes are ignored.
func grantedScopes(a *account, asked []string) []string {
	var granted []string
	for _, scope := range libraryScopes {
		if slices.Contains(a.groups, scope) {
			granted = append(granted, scope)
		}
	}
	granted = append(granted, scopeEmail, scopeProfile)
	return append(granted, intersect([]string{scopeOpenID, scopeOffline}, asked)...)
}

// parseScope splits a scope parameter at its spaces. It refuses pieces that are no scopes (RFC
// 6749, section 3.3).
func parseScope(s string) ([]string, *oauthError) {
	scopes := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' })
	if !slices.ContainsFunc(scopes, func(scope string) bool { return !isScopeToken(scope) }) {
		return scopes, nil
	}
	return nil, refuse("invalid_scope", "The scope is malformed")
}

func isScopeToken(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' })
}

// intersect returns the members of have found in want, in the order of have.
func intersect(have, want []string) []string {
	return slices.DeleteFunc(slices.Clone(have), func(s string) bool { return !slices.Contains(want, s) })
}

// missing reports whether some of want is not in have.
func missing(have, want []string) bool {
	return slices.ContainsFunc(want, func(s string) bool { return !slices.Contains(have, s) })
}

// knownScopes returns the scopes of asked known to the provider, once each. They are stored with
// the request, so their number must be bounded.
func knownScopes(asked []string) []string {
	return intersect(append([]string{scopeEmail, scopeProfile, scopeOpenID, scopeOffline}, libraryScopes...), asked)
}

func without(scopes []string, scope string) []string {
	return slices.DeleteFunc(scopes, func(s string) bool { return s == scope })
}
