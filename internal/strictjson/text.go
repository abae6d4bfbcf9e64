package strictjson

import "encoding/json"

// Text returns a value if it is a string. A null is no string, although
// encoding/json would take it for an empty one.
func Text(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err == nil
}

// Texts returns a value if it is an array of strings.
func Texts(raw json.RawMessage) ([]string, bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	values := make([]string, len(elements))
	for i, element := range elements {
		s, ok := Text(element)
		if !ok {
			return nil, false
		}
		values[i] = s
	}
	return values, true
}
