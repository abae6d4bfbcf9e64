package bookfile

import (
	"fmt"
	"regexp"
	"strings"

	"example.org/library/internal/table"
)

// formulaText is a text that a program has wrapped in a formula, so that a
// spreadsheet does not take it for a number: ="0132350882".
var formulaText = regexp.MustCompile(`^="([^"]*)"$`)

// bracketed is an ISBN as LibraryThing writes it: [0132350882].
var bracketed = regexp.MustCompile(`^\[([0-9Xx-]*)\]$`)

// noISBN are words for an ISBN that is not there, as plain makes them.
var noISBN = map[string]bool{
	"na": true, "nan": true, "none": true, "null": true, "nil": true, "no": true, "noisbn": true, "unknown": true,
	"keine": true, "ohne": true, "unbekannt": true, "nichtvorhanden": true,
}

// cutShort is what spreadsheets make of long numbers. The digits are gone.
var cutShort = regexp.MustCompile(`^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$`)

// isbnOf is what a cell of an ISBN column says, "" if it says that there is
// none; or why it is of no use.
func isbnOf(cell string) (isbn string, bad reason) {
	if wrapped := formulaText.FindStringSubmatch(cell); wrapped != nil {
		cell = strings.TrimSpace(wrapped[1])
	}
	if wrapped := bracketed.FindStringSubmatch(cell); wrapped != nil {
		cell = wrapped[1]
	}
	switch name := table.Plain(cell); {
	case noISBN[name], strings.Trim(name, "0") == "": // also -, –, ? and 0
		return "", reason{}
	case cutShort.MatchString(cell):
		return "", reason{Code: "isbn_cut_short", Text: fmt.Sprintf("has %s for an ISBN: a spreadsheet has cut the number short; format the column as text and enter it again", table.Shortened(cell))}
	}
	return cell, reason{}
}
