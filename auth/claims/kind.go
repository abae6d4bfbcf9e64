package claims

import (
	"fmt"
	"slices"

	"example.org/library/internal/strictjson"
)

// Kind is an accepted kind of token.
type Kind string

// The kinds.
const (
	AccessTokens Kind = "access"
	IDTokens     Kind = "id" // for providers whose access tokens cannot be read by others
)

// ParseKind returns the kind with the name.
func ParseKind(name string) (Kind, error) {
	switch kind := Kind(name); kind {
	case AccessTokens, IDTokens:
		return kind, nil
	}
	return "", fmt.Errorf("unknown kind of token %q: use %s or %s", name, AccessTokens, IDTokens)
}

// otherKinds are the values of Keycloak's typ claim for tokens signed with the same key and meant
// for the provider alone.
var otherKinds = []string{"REFRESH", "OFFLINE", "LOGOUT"}

// accessMarks are claims found in access tokens of known providers and in no ID tokens.
var accessMarks = []string{"scope", "scp", "client_id", "cid", "appid", "appidacr", "azpacr"}

// takes reports whether the claims belong to a token of the kind. A token with events (RFC 8417), such
// as a logout token, is of neither.
func (k Kind) takes(s Set) bool {
	typ, isText := strictjson.Text(s["typ"])
	if s.Has("typ") && !isText || slices.Contains(otherKinds, upperASCII(typ)) || s.Has("events") {
		return false
	}
	if k != IDTokens || s.IsIDToken() {
		return (k == IDTokens) == s.IsIDToken()
	}
	// An ID token may be unmarked. Access tokens can have a nonce, too.
	if use := s.Text("token_use"); typ != "" || use != "" && use != "id" {
		return false
	}
	isAccess := slices.ContainsFunc(accessMarks, s.Has)
	return !isAccess && (s.Has("nonce") || s.Text("sub") != "" && s.Has("iat"))
}

// IsIDToken reports whether a token can be told to be an ID token.
func (s Set) IsIDToken() bool {
	return s.Has("at_hash") || s.Has("c_hash") || upperASCII(s.Text("typ")) == "ID"
}

// upperASCII puts ASCII letters into upper case and leaves all others alone, so that no other
// letter folds into one of a name.
func upperASCII(s string) string {
	upper := []byte(s)
	for i, c := range upper {
		if 'a' <= c && c <= 'z' {
			upper[i] = c - ('a' - 'A')
		}
	}
	return string(upper)
}
