package bookfile

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

var identifier = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// leaveForeign ignores a column called id if it is the number that another
// program gives its books. Nobody has to tell us that; a column that is called
// identifier or uuid, or that is asked for, is taken at its word.
func (r *Reader) leaveForeign(header []string, own map[string][]string, start []byte) {
	column := slices.Index(r.fields, fieldIdentifier)
	if _, asked := own[fieldIdentifier]; asked || column < 0 || plain(header[column]) != "id" {
		return
	}
	if isForeign(start, r.comma, column) {
		r.fields[column] = ""
		r.ignore(shortened(header[column]) + " (no identifiers of a library)")
	}
}

// isForeign reports whether a column has values at the start of a file, and
// none of them is an identifier.
func isForeign(start []byte, comma byte, column int) bool {
	if len(start) == maxHeader { // the last line is cut
		start = start[:bytes.LastIndexByte(start, '\n')+1]
	}
	r := Reader{pieces: newPieces(bytes.NewReader(start), cutRecord(comma), 1), comma: comma}
	header, err := r.header()
	values := 0
	for err == nil {
		var text []byte
		if text, err = r.pieces.read(); err != nil || r.pieces.reason != "" {
			continue
		}
		row := cells(text, comma)
		if len(row) != len(header) {
			continue
		}
		value := strings.TrimSpace(row[column])
		if identifier.MatchString(value) {
			return false
		}
		if value != "" {
			values++
		}
	}
	return values > 0
}
