// Package bookfile reads and writes files of books: CSV as spreadsheets save
// it, and JSON, a book per line or all in one array. It knows nothing of
// services; docs/formats.md says what the files look like.
//
//	Reader   reader.go   the books of a file, one after another
//	         kind.go     what is no table at all: workbooks, MARC, web pages
//	         text.go     charsets and line ends
//	         pieces.go   cuts a file into records, in bounded memory
//	         csv.go      where a CSV record ends, and its cells
//	         fields.go   every field that a file can have: start here to add one
//	         columns.go  which column is which field
//	         exports.go  habits of other programs, known by their headings
//	         isbn.go     what stands in columns for ISBNs
//	         json.go     one JSON object is one book; arrays of them
//	Writer   writer.go   the same formats, so that what is written reads as it was
//
// A record that cannot be read is a [RowError], with its line, and the next
// one is read as if nothing had been. Start reading at [NewReader].
package bookfile

import (
	"path/filepath"
	"strings"

	"example.org/library/api"
)

// Book is a book in a file. Only the title is required, and not by this package.
type Book struct {
	Identifier string `json:"identifier,omitempty"`
	api.BookFields
	Copies   *int     `json:"copies,omitempty"` // nil if the file does not say
	Barcodes []string `json:"barcode,omitempty"`
	Shelf    string   `json:"shelf,omitempty"`
}

// Format is how a file is written.
type Format string

const (
	CSV  Format = "csv"
	JSON Format = "jsonl" // a book per line, or one array of books
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
