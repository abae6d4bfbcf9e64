// Package bookfile reads and writes files of books: CSV as spreadsheets save it, and JSON, a book per line or all in
// one array. It knows nothing of services; docs/formats.md describes the files. Package internal/table reads the
// records; this one makes books of them.
//
//	Reader   reader.go   the books of a file, one after another
//	         fields.go   every field of a file: start here to add one
//	         columns.go  the field of each column
//	         exports.go  habits of other programs, known by their headings
//	         values.go   the values in columns for years, languages and ISBNs
//	MARCReader  marc.go  the books of a file of MARC records
//	         marc_read.go, marc_authors.go, marc_text.go  one record is one book
//	Writer   writer.go   the same formats; a file reads back as it was written
//	         marc_write.go
//
// An unreadable record is a [RowError], with its line, and the next one is read
// as if nothing had been. Start reading at [NewReader].
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

// The forms of files, and the errors in them: see package table.
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

	// MaxRecord is the number of bytes a record may have.
	MaxRecord = table.MaxRecord
)
