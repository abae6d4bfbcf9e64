package table

import (
	"regexp"
	"strings"
)

// formulaText is a text that a program has wrapped in a formula, so that a
// spreadsheet does not take it for a number: ="0132350882".
var formulaText = regexp.MustCompile(`^="([^"]*)"$`)

// Unwrapped is a cell without such a formula around it.
func Unwrapped(cell string) string {
	if wrapped := formulaText.FindStringSubmatch(cell); wrapped != nil {
		return strings.TrimSpace(wrapped[1])
	}
	return cell
}

// cutShort is what spreadsheets make of long numbers. The digits are gone.
var cutShort = regexp.MustCompile(`^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$`)

// IsCutShort reports whether a spreadsheet has thrown away digits of a number.
func IsCutShort(cell string) bool { return cutShort.MatchString(cell) }
