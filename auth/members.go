package auth

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"example.org/library/internal/strictjson"
)

// members are the members of a JSON object, such as a token's header or a key.
type members map[string]json.RawMessage

// parseMembers reads one JSON object with a single possible reading.
func parseMembers(data []byte) (members, error) {
	object, err := strictjson.Object(data)
	return members(object), err
}

func (m members) has(name string) bool {
	_, ok := m[name]
	return ok
}

// text returns the member if it is there and a string.
func (m members) text(name string) (string, bool) { return textOf(m[name]) }

func textOf(raw json.RawMessage) (string, bool) { return strictjson.Text(raw) }

// optionalText returns the member, and whether it is a string or absent.
func (m members) optionalText(name string) (string, bool) {
	if !m.has(name) {
		return "", true
	}
	return m.text(name)
}

// texts returns the member if it is there and an array of strings.
func (m members) texts(name string) ([]string, bool) { return strictjson.Texts(m[name]) }

// strictBase64 refuses set unused bits. It ignores line breaks all the same, hence decodeBase64.
var strictBase64 = base64.RawURLEncoding.Strict()

// decodeBase64 decodes base64url in its one spelling: without padding, white
// space or stray bits.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	return strictBase64.DecodeString(s)
}

// equalFoldASCII compares without regard to the case of ASCII letters. Unlike strings.EqualFold,
// it does not take the Kelvin sign for a k.
func equalFoldASCII(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerASCII(a[i]) != lowerASCII(b[i]) {
			return false
		}
	}
	return true
}

// foldASCII puts ASCII letters into lower case and leaves all others alone.
func foldASCII(s string) string {
	folded := []byte(s)
	for i, c := range folded {
		folded[i] = lowerASCII(c)
	}
	return string(folded)
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
