// Package bookfile reads and writes files of books: CSV as spreadsheets save
// it, and JSON, a book per line or all in one array. It knows nothing of
// services; docs/formats.md says what the files look like. Package
// internal/table reads the records; this one makes books of them.
//
//	Reader   reader.go   the books of a file, one after another
//	         fields.go   every field that a file can have: start here to add one
//	         columns.go  which column is which field
//	         exports.go  habits of other programs, known by their headings
//	         isbn.go     what stands in columns for ISBNs
//	         json.go     one JSON object is one book
//	MARCReader  marc.go  the books of a file of MARC records
//	         marc_read.go, marc_authors.go, marc_text.go  one record is one book
//	Writer   writer.go   the same formats, so that what is written reads as it was
//	         marc_write.go
//
// A record that cannot be read is a [RowError], with its line, and the next
// one is read as if nothing had been. Start reading at [NewReader].
package bookfile

import (
	"example.org/library/api"
	"example.org/library/internal/marc"
	"example.org/library/internal/table"
)

// IsMARC reports whether a format is one of MARC records.
func IsMARC(f Format) bool { return f == MARC || f == MARCXML }

// Book is a book in a file. Only the title is required, and not by this package.
type Book struct {
	Identifier string `json:"identifier,omitempty"`
	api.BookFields
	Copies   *int     `json:"copies,omitempty"` // nil if the file does not say
	Barcodes []string `json:"barcode,omitempty"`
	Shelf    string   `json:"shelf,omitempty"`
	Items    []Item   `json:"-"` // the copies one by one, in the place of the three above: only MARC has them
}

// Item is a copy of a book in a file.
type Item struct {
	Barcode, Shelf string
	Reference      bool // it stays in the library
}

// How files are written, and what is wrong with them: see package table.
type (
	Format        = table.Format
	Charset       = table.Charset
	Options       = table.Options
	RowError      = table.RowError
	FileError     = table.FileError
	NoColumnError = table.NoColumnError
	reason        = table.Reason
)

const (
	CSV  = table.CSV
	JSON = table.JSON // a book per line, or one array of books

	MARC    = Format(marc.ISO2709)
	MARCXML = Format(marc.XML)

	UTF8        = table.UTF8
	UTF16LE     = table.UTF16LE
	UTF16BE     = table.UTF16BE
	Windows1252 = table.Windows1252

	// MaxRecord is how many bytes a record may have.
	MaxRecord = table.MaxRecord
)
