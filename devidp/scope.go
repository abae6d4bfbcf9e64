package devidp

import (
	"slices"
	"strings"
)

// Scopes that the provider knows.
const (
	scopeUser    = "library_user"
	scopeCurator = "library_curator"
	scopeAdmin   = "library_admin"
	scopeEmail   = "email"
	scopeProfile = "profile"
	scopeOpenID  = "openid"
)

// libraryScopes are the scopes that belong to the group of the same name.
var libraryScopes = []string{scopeUser, scopeCurator, scopeAdmin}

// grantedScopes decides which scopes an account gets: those of its groups,
// always, because being in the group is all it takes, and asking for another
// helps nobody; e-mail and profile, always, because the library service finds
// its users by e-mail; and openid if it was asked for, because it adds a token.
// Whatever else was asked for is ignored.
func grantedScopes(a *account, asked []string) []string {
	var granted []string
	for _, scope := range libraryScopes {
		if slices.Contains(a.groups, scope) {
			granted = append(granted, scope)
		}
	}
	granted = append(granted, scopeEmail, scopeProfile)
	if slices.Contains(asked, scopeOpenID) {
		granted = append(granted, scopeOpenID)
	}
	return granted
}

// parseScope splits a scope parameter at its spaces. It refuses a piece that is
// not what RFC 6749, section 3.3, calls a scope.
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

// intersect returns what of have is also in want, in the order of have.
func intersect(have, want []string) []string {
	return slices.DeleteFunc(slices.Clone(have), func(s string) bool { return !slices.Contains(want, s) })
}

// missing reports whether some of want is not in have.
func missing(have, want []string) bool {
	return slices.ContainsFunc(want, func(s string) bool { return !slices.Contains(have, s) })
}

// knownScopes returns what of asked the provider knows, once each. It is what
// is remembered of a request, so it must not grow with it.
func knownScopes(asked []string) []string {
	return intersect(append([]string{scopeEmail, scopeProfile, scopeOpenID}, libraryScopes...), asked)
}

func without(scopes []string, scope string) []string {
	return slices.DeleteFunc(scopes, func(s string) bool { return s == scope })
}
