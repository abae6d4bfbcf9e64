package claims

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// RoleMap maps values of the authorities claim to roles. Values are compared byte for byte.
type RoleMap map[string][]string

// ParseRoleMap reads ROLE=value,value;ROLE=value. A comma, a semicolon, an equals
// sign or a percent sign in a value is percent-encoded; spaces count. The faults are
// read by a person after the name of the setting.
func ParseRoleMap(text string, roles []string) (RoleMap, error) {
	if text == "" {
		return nil, nil
	}
	all := RoleMap{}
	for entry := range strings.SplitSeq(text, ";") {
		name, list, ok := strings.Cut(entry, "=")
		if !ok {
			return nil, fmt.Errorf("has %q in it; it must be such as %s=readers,staff;%s=it", entry, roles[0], roles[len(roles)-1])
		}
		role, err := decode(name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(roles, role) {
			return nil, fmt.Errorf("has the role %q in it; the roles are %s", role, strings.Join(roles, ", "))
		}
		if err := all.add(role, list); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// add lets every value of a list give the role.
func (m RoleMap) add(role, list string) error {
	for encoded := range strings.SplitSeq(list, ",") {
		if strings.Contains(encoded, "=") {
			return fmt.Errorf("has two equals signs for %s; in a value it is written %%3D, and a comma %%2C", role)
		}
		value, err := decode(encoded)
		if err != nil {
			return err
		}
		if value == "" {
			return fmt.Errorf("has an empty value for %s", role)
		}
		if !slices.Contains(m[value], role) {
			m[value] = append(m[value], role)
		}
	}
	return nil
}

// decode decodes every %XX. Nothing else changes, not even a plus sign.
func decode(encoded string) (string, error) {
	value, err := url.PathUnescape(encoded)
	if err != nil {
		return "", fmt.Errorf("has %q in it, where a percent sign is not followed by two hexadecimal digits; a percent sign itself is written %%25", encoded)
	}
	if !utf8.ValidString(value) {
		return "", errors.New("has a value that is not UTF-8, so no token can have it")
	}
	return value, nil
}

// EncodeValue writes a value as it is in a role map.
func EncodeValue(value string) string { return encoder.Replace(value) }

var encoder = strings.NewReplacer("%", "%25", ",", "%2C", ";", "%3B", "=", "%3D")
