package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"example.org/library/internal/strictjson"
)

// Object is the members of a JSON object, or what is wrong with it, as a text that
// goes on from "line 17".
func Object(text []byte) (members map[string]json.RawMessage, wrong string) {
	members, err := strictjson.Object(text)
	twice, isTwice := errors.AsType[*strictjson.DuplicateError](err)
	switch {
	case isTwice:
		return nil, fmt.Sprintf("has the member %q twice", Shortened(twice.Name))
	case errors.Is(err, strictjson.ErrNotObject):
		return nil, "is not a JSON object"
	case err != nil:
		return nil, "is not one valid JSON object"
	}
	return members, ""
}

// Texts is an array of texts, or false. Null is none.
func Texts(value json.RawMessage) (texts []string, is bool) {
	var all []*string // null would pass for an empty text
	if json.Unmarshal(value, &all) != nil || slices.Contains(all, nil) {
		return nil, false
	}
	for _, text := range all {
		texts = append(texts, *text)
	}
	return texts, true
}
