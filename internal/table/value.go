package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.org/library/internal/strictjson"
)

// Object returns the members of a JSON object, or describes the error in it with a text to go on from "line 17".
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

// Texts returns the texts of a JSON array, none for null. It reports false for any
// other value, and if the array has a null in it.
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

// formulaText matches a text wrapped in a formula by a program, to keep a
// spreadsheet from taking it for a number: ="0132350882".
var formulaText = regexp.MustCompile(`^="([^"]*)"$`)

// Unwrapped returns a cell without such a formula around it.
func Unwrapped(cell string) string {
	if wrapped := formulaText.FindStringSubmatch(cell); wrapped != nil {
		return strings.TrimSpace(wrapped[1])
	}
	return cell
}

// cutShort matches the form of long numbers in spreadsheets. The digits are gone.
var cutShort = regexp.MustCompile(`^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$`)

// IsCutShort reports whether a spreadsheet has thrown away digits of a number.
func IsCutShort(cell string) bool { return cutShort.MatchString(cell) }
