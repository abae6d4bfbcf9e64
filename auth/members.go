package auth

import (
	"encoding/json"

	"example.org/library/internal/strictjson"
)

// members are the members of a JSON object, such as a token's header or a key.
type members map[string]json.RawMessage

// parseMembers reads one JSON object that all readers read alike.
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
