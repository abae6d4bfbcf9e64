package bookfile

import (
	"fmt"
	"regexp"
	"strings"

	"example.org/library/internal/table"
)

// bracketed is an ISBN as LibraryThing writes it: [0132350882].
var bracketed = regexp.MustCompile(`^\[([0-9Xx-]*)\]$`)

// noISBN are words for an ISBN that is not there, as plain makes them.
var noISBN = map[string]bool{
	"na": true, "nan": true, "none": true, "null": true, "nil": true, "no": true, "noisbn": true, "unknown": true,
	"keine": true, "ohne": true, "unbekannt": true, "nichtvorhanden": true,
}

// isbnOf is what a cell of an ISBN column says, "" if it says that there is
// none; or why it is of no use.
func isbnOf(cell string) (isbn string, bad reason) {
	cell = table.Unwrapped(cell)
	if wrapped := bracketed.FindStringSubmatch(cell); wrapped != nil {
		cell = wrapped[1]
	}
	switch name := table.Plain(cell); {
	case noISBN[name], strings.Trim(name, "0") == "": // also -, –, ? and 0
		return "", reason{}
	case table.IsCutShort(cell):
		return "", reason{Code: "isbn_cut_short", Text: fmt.Sprintf("has %s for an ISBN: a spreadsheet has cut the number short; format the column as text and enter it again", table.Shortened(cell))}
	}
	return cell, reason{}
}
