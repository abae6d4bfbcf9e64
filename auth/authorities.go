package auth

import (
	"fmt"
	"slices"
	"strings"
)

// Mode says where a caller's authorities come from.
type Mode string

// The modes.
const (
	ModeScope  Mode = "scope"  // the scope claim, as roles
	ModeGroups Mode = "groups" // the groups claim, as roles
	ModeLocal  Mode = "local"  // the roles of the user record
	ModePlain  Mode = "plain"  // the scope claim, not as roles: no role check is satisfied
)

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) {
	switch mode := Mode(name); mode {
	case ModeScope, ModeGroups, ModeLocal, ModePlain:
		return mode, nil
	}
	return "", fmt.Errorf("unknown source of authorities %q: use scope, groups, local or plain", name)
}

// identity returns the identity that the claims are about.
func (m Mode) identity(c claims) *Identity {
	id := &Identity{Email: c.email()}
	switch m {
	case ModeGroups:
		id.Authorities = c.authorities("groups", role)
	case ModeLocal:
		id.FromRecord = true
	case ModePlain:
		id.Authorities = c.authorities("scope", func(scope string) string { return "SCOPE_" + scope })
	default:
		id.Authorities = c.authorities("scope", role)
	}
	return id
}

// authorities names each value of a claim, dropping repetitions. The claim is a
// string with spaces between the values or an array of strings; anything else
// has none.
func (c claims) authorities(claim string, name func(string) string) []string {
	values, ok := c.texts(claim)
	if !ok {
		joined, _ := c.text(claim)
		values = slices.DeleteFunc(strings.Split(joined, " "), func(s string) bool { return s == "" })
	}
	names := make([]string, 0, len(values))
	seen := make(map[string]bool, len(values))
	for _, value := range values {
		if n := name(value); !seen[n] {
			seen[n] = true
			names = append(names, n)
		}
	}
	return names
}

// role turns library_user into ROLE_LIBRARY_USER. Only ASCII letters change
// case: no other letter may fold into one of a role's name.
func role(value string) string {
	upper := []byte("ROLE_" + value)
	for i, c := range upper {
		if 'a' <= c && c <= 'z' {
			upper[i] = c - ('a' - 'A')
		}
	}
	return string(upper)
}
