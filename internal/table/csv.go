package table

import (
	"bytes"
	"cmp"
	"strings"
)

// The errors in the quotation marks of a record.
var (
	bareQuote   = Reason{"quote_inside", "has a quotation mark inside a cell; put the whole cell in quotation marks and double the one inside"}
	textAfter   = Reason{"quote_inside", "has text after the closing quotation mark of a cell; double quotation marks that belong to the text"}
	neverClosed = Reason{"quote_open", "opens a quotation mark that is not closed"}
	runsOn      = Reason{"quote_open", neverClosed.Text + ", or not at the end of its cell"}
)

// Package encoding/csv has no bound on a record, reads to the end of the file after an unclosed
// quotation mark, and does not know ="0132350882"; so this file divides records itself.

// cutRecord returns a cutter for CSV records. If a record has wrong quotation marks, the cutter takes only its first
// line: the wrong mark is likely to be in this line, and the next lines are records again. It looks at no line more
// than twice because of this: such a record ends, at the latest, in the next line with an odd number of quotation
// marks, and the lines in between have even ones.
func cutRecord(comma byte) cutter {
	return func(data []byte, whole, full bool) (piece, error) {
		if empty := len(data) - len(bytes.TrimLeft(data, "\n")); empty > 0 {
			return piece{n: empty, silent: true}, nil
		}
		n, open, wrong := endOfRecord(data, comma)
		switch {
		case wrong.Is() && bytes.IndexByte(data[:n], '\n') >= 0:
			wrong = runsOn // noticed in a later line than its own
		case wrong.Is():
		case 0 < n && n <= MaxRecord:
			return piece{n: n}, nil
		case n == 0 && whole && !open && !full:
			return piece{n: len(data)}, nil
		case n == 0 && !whole && !full:
			return piece{}, nil
		default:
			wrong = neverClosed
		}
		line, err := cutLine(data, whole, full)
		line.reason = cmp.Or(line.reason, wrong)
		return line, err
	}
}

// endOfRecord returns the length of the record at the beginning of data, 0 if it does not end there; or the distance to
// a wrong quotation mark. Open reports whether data ends within quotation marks.
func endOfRecord(data []byte, comma byte) (n int, open bool, wrong Reason) {
	for i := 0; i < len(data); {
		if mark := openingMark(data[i:]); mark < 0 {
			i += endOfBare(data[i:], comma)
		} else if i, open = endOfQuoted(data, i+mark); open {
			return 0, true, Reason{}
		}
		if i == len(data) {
			break
		}
		switch rest := data[i:]; {
		case rest[0] == comma:
			i++
		case rest[0] == '\n':
			return i + 1, false, Reason{}
		case rest[0] == '\r' && len(rest) == 1:
			return 0, false, Reason{}
		case rest[0] == '\r' && rest[1] == '\n':
			return i + 2, false, Reason{}
		case rest[0] == '"':
			return i, false, bareQuote
		default:
			return i, false, textAfter
		}
	}
	return 0, false, Reason{}
}

// openingMark returns the offset of the opening quotation mark of a cell, -1 if the cell is bare. Some programs protect
// numbers from spreadsheets by writing ="0132350882", and do not always quote the formula, as they should.
func openingMark(cell []byte) int {
	switch {
	case cell[0] == '"':
		return 0
	case len(cell) > 1 && cell[0] == '=' && cell[1] == '"':
		return 1
	}
	return -1
}

// endOfBare returns the end of a cell without quotation marks. A carriage return inside a line belongs to the cell.
func endOfBare(data []byte, comma byte) int {
	for i, c := range data {
		if c == comma || c == '\n' || c == '"' {
			return i
		}
	}
	return len(data)
}

// endOfQuoted returns the end of a cell with its opening quotation mark at i.
// Open reports whether the closing one is missing.
func endOfQuoted(data []byte, i int) (end int, open bool) {
	for i++; ; i++ {
		j := bytes.IndexByte(data[i:], '"')
		if j < 0 {
			return 0, true
		}
		if i += j + 1; i == len(data) || data[i] != '"' {
			return i, false
		}
	}
}

// cells splits a record into its cells. The caller has checked the record with endOfRecord.
func cells(record []byte, comma byte) (out []string) {
	record = bytes.TrimSuffix(bytes.TrimSuffix(record, []byte{'\n'}), []byte{'\r'})
	for {
		end, mark := 0, -1
		if len(record) > 0 {
			mark = openingMark(record)
		}
		switch mark {
		case 0:
			end, _ = endOfQuoted(record, 0)
			out = append(out, strings.ReplaceAll(string(record[1:end-1]), `""`, `"`))
		case 1:
			end, _ = endOfQuoted(record, 1)
			out = append(out, `="`+strings.ReplaceAll(string(record[2:end-1]), `""`, `"`)+`"`)
		default:
			end = endOfBare(record, comma)
			out = append(out, string(record[:end]))
		}
		if end == len(record) {
			return out
		}
		record = record[end+1:]
	}
}
