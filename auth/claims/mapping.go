package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/library/internal/strictjson"
)

// Mapping names the claims of a token to use, and their purposes. The zero value is the usual one.
type Mapping struct {
	Tokens           Kind    // "" is AccessTokens
	AudienceClaim    string  // "" is aud
	EmailClaim       string  // "" is email
	Authorities      Mode    // "" is ModeScope
	AuthoritiesClaim string  // a name or a path; "" is the claim of the mode, whose value is never an object
	Roles            RoleMap // nil: the values themselves are the names of roles
}

// Takes reports whether the claims belong to a token of the accepted kind.
func (m Mapping) Takes(s Set) bool { return m.Tokens.takes(s) }

// Audience returns the token's audience.
func (m Mapping) Audience(s Set) []string {
	raw := s[cmp.Or(m.AudienceClaim, "aud")]
	if single, ok := strictjson.Text(raw); ok {
		return []string{single}
	}
	several, _ := strictjson.Texts(raw)
	return several
}

// Email returns the e-mail address, "" if there is none or it is no string.
func (m Mapping) Email(s Set) string { return s.Text(cmp.Or(m.EmailClaim, "email")) }

// RolesClaim returns the claim with the roles, "" if they come from the record.
func (m Mapping) RolesClaim() string {
	if m.Authorities == ModeLocal {
		return ""
	}
	return cmp.Or(m.AuthoritiesClaim, m.Authorities.Claim())
}

// IsUsual reports whether roles are found without any setting but the mode.
func (m Mapping) IsUsual() bool { return m.AuthoritiesClaim == "" && m.Roles == nil }

// Reason is why a token brings no authorities.
type Reason string

// The reasons.
const (
	ReasonMissing   Reason = "claim_missing" // or empty
	ReasonUnusable  Reason = "claim_unusable"
	ReasonElsewhere Reason = "claim_elsewhere"
	ReasonUnmapped  Reason = "values_not_mapped" // the role map has none of the values
)

// AuthoritiesOf names each value of the authorities claim, each name once, in the
// order of the token. If there is none, it says why.
func (m Mapping) AuthoritiesOf(s Set) ([]string, Reason) {
	claim := m.RolesClaim()
	if claim == "" {
		return nil, ""
	}
	values, finding := m.valuesOf(s, claim)
	var names []string
	for _, value := range values {
		if m.Roles == nil || m.Authorities == ModePlain {
			names = append(names, m.nameOf(value))
			continue
		}
		for _, role := range m.Roles[value] {
			names = append(names, "ROLE_"+role)
		}
	}
	return unique(names), reasonFor(finding, len(values), len(names))
}

// valuesOf returns the values of the authorities claim. It may be an object only if a setting
// names it.
func (m Mapping) valuesOf(s Set, claim string) ([]string, Finding) {
	switch {
	case m.AuthoritiesClaim != "" || s.isElsewhere(claim):
		return s.Values(claim)
	case !s.Has(claim):
		return nil, Missing
	}
	return words(s[claim])
}

// nameOf returns the authority for a value without a map: library_user is ROLE_LIBRARY_USER.
func (m Mapping) nameOf(value string) string {
	if m.Authorities == ModePlain {
		return "SCOPE_" + value
	}
	return "ROLE_" + upperASCII(value)
}

// unique drops repetitions.
func unique(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(names, func(name string) bool {
		known := seen[name]
		seen[name] = true
		return known
	})
}

func reasonFor(finding Finding, values, names int) Reason {
	switch {
	case finding == Elsewhere:
		return ReasonElsewhere
	case finding == Unusable:
		return ReasonUnusable
	case finding == Missing || values == 0:
		return ReasonMissing
	case names == 0:
		return ReasonUnmapped
	}
	return ""
}

// Mode says where a caller's authorities come from.
type Mode string

// The modes.
const (
	ModeScope  Mode = "scope"  // the scope claim, as roles
	ModeGroups Mode = "groups" // the groups claim, as roles
	ModeLocal  Mode = "local"  // the roles of the user record
	ModePlain  Mode = "plain"  // the scope claim, not as roles: no role check is satisfied
)

// modes are all modes in the order of help texts, each with its claim, "" for none.
var modes = []struct {
	mode  Mode
	claim string
}{
	{ModeScope, "scope"},
	{ModeGroups, "groups"},
	{ModeLocal, ""},
	{ModePlain, "scope"},
}

// ModeNames joins the names of the modes with commas, except for some. Before the
// last one stands last, such as " or ".
func ModeNames(last string, except ...Mode) string {
	var names []string
	for _, m := range modes {
		if !slices.Contains(except, m.mode) {
			names = append(names, string(m.mode))
		}
	}
	end := len(names) - 1
	return strings.Join(names[:end], ", ") + last + names[end]
}

// ParseMode returns the mode with the name.
func ParseMode(name string) (Mode, error) {
	for _, m := range modes {
		if string(m.mode) == name {
			return m.mode, nil
		}
	}
	return "", fmt.Errorf("unknown source of authorities %q: use %s", name, ModeNames(" or "))
}

// Claim returns the usual claim of the mode, "" for none.
func (m Mode) Claim() string {
	for _, known := range modes {
		if known.mode == m {
			return known.claim
		}
	}
	return string(ModeScope)
}
