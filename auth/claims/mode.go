package claims

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

// modes are all of them, in the order in which they are shown, each with the
// claim that it reads, "" for none.
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

// ParseMode returns the mode of that name.
func ParseMode(name string) (Mode, error) {
	for _, m := range modes {
		if string(m.mode) == name {
			return m.mode, nil
		}
	}
	return "", fmt.Errorf("unknown source of authorities %q: use %s", name, ModeNames(" or "))
}

// Claim is the claim that the mode reads unless another is named, "" for none.
func (m Mode) Claim() string {
	for _, known := range modes {
		if known.mode == m {
			return known.claim
		}
	}
	return string(ModeScope)
}
