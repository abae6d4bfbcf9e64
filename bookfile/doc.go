// Package bookfile reads and writes files of books: CSV as spreadsheets save
// it, and JSON, a book per line or all in one array. It knows nothing of
// services; docs/formats.md says what the files look like.
//
//	Reader   reader.go   the books of a file, one after another
//	         pieces.go   cuts a file into records, in bounded memory
//	         csv.go      where a CSV record ends, and its cells
//	         columns.go  which column is which field
//	         foreign.go  which id is none of ours
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
)

// Book is a book in a file. Only the title is required, and not by this room.
type Book struct {
	Identifier  string   `json:"identifier,omitempty"`
	ISBN        string   `json:"isbn,omitempty"`
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	Authors     []string `json:"authors,omitempty"`
}

// Format is how a file is written.
type Format string

const (
	CSV  Format = "csv"
	JSON Format = "jsonl" // a book per line, or one array of books
)

// FormatOf tells the format from the ending of a file's name, "" if it does
// not say.
func FormatOf(name string) Format {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".csv", ".tsv", ".txt":
		return CSV
	case ".jsonl", ".ndjson", ".json":
		return JSON
	}
	return ""
}

// MaxRecord is how many bytes a record may have.
const MaxRecord = 1 << 20
