// Package table reads and writes files of records: CSV as spreadsheets save it, and JSON, a record per line or all in
// one array. It knows nothing of the contents of the records; packages bookfile and userfile do.
//
//	Reader   reader.go   the records of a file, one after another
//	         header.go   headings, and the columns named by a caller
//	         kind.go     files other than tables: workbooks, MARC, web pages
//	         text.go     charsets and line ends
//	         pieces.go   cuts a file into records, in bounded memory
//	         csv.go      where a CSV record ends, and its cells
//	         value.go    cells, and values of JSON
//	         array.go    JSON arrays of them
//	Writer   writer.go   the same formats; a file reads as it was written
//
// For an unreadable record, the reader returns a [RowError] with its line, and then
// reads the next one as usual. Start reading at [NewReader].
package table

import (
	"path/filepath"
	"strings"
)

// Format is the format of a file.
type Format string

const (
	CSV  Format = "csv"
	JSON Format = "jsonl" // a record per line, or one array of records
)

// FormatOf returns the format for the ending of a file's name, "" if it is unknown. Some programs call a table .xls;
// the reader refuses real workbooks and MARC, with advice.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt", ".xls", ".xlsx", ".ods", ".mrc", ".marc", ".xml":
		return CSV
	case ".jsonl", ".ndjson", ".json":
		return JSON
	}
	return ""
}

// MaxRecord is the largest size of a record in bytes.
const MaxRecord = 512 << 10
