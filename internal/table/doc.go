// Package table reads and writes files of records: CSV as spreadsheets save it, and
// JSON, a record per line or all in one array. It knows nothing of what the
// records are about; packages bookfile and userfile do.
//
//	Reader   reader.go   the records of a file, one after another
//	         header.go   headings, and the columns that a caller names
//	         kind.go     what is no table at all: workbooks, MARC, web pages
//	         text.go     charsets and line ends
//	         pieces.go   cuts a file into records, in bounded memory
//	         csv.go      where a CSV record ends, and its cells
//	         json.go     JSON objects
//	         array.go    JSON arrays of them
//	Writer   writer.go   the same formats, so that what is written reads as it was
//
// A record that cannot be read is a [RowError], with its line, and the next
// one is read as if nothing had been. Start reading at [NewReader].
package table

import (
	"path/filepath"
	"strings"
)

// Format is how a file is written.
type Format string

const (
	CSV  Format = "csv"
	JSON Format = "jsonl" // a record per line, or one array of records
)

// FormatOf tells the format from the ending of a file's name, "" if it does
// not say. Some programs call a table .xls; what really is a workbook, or MARC,
// the reader refuses, with what to do.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt", ".xls", ".xlsx", ".ods", ".mrc", ".marc", ".xml":
		return CSV
	case ".jsonl", ".ndjson", ".json":
		return JSON
	}
	return ""
}

// MaxRecord is how many bytes a record may have.
const MaxRecord = 512 << 10
