package bookfile

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// WriterOptions is how a file is to be written.
type WriterOptions struct {
	Format Format
	// Spreadsheet makes a CSV file for the eyes of people: with the mark by
	// which spreadsheets know UTF-8, and with an apostrophe before each cell
	// that they would take for a formula. It reads back with the apostrophes.
	Spreadsheet bool
	// Copies writes how many copies there are, their barcodes and their shelf, too.
	Copies bool
}

// Writer writes a file of books. Without Spreadsheet a [Reader] reads exactly
// the books that were written.
type Writer struct {
	out         *bufio.Writer
	csv         *csv.Writer // nil for JSON
	json        *json.Encoder
	fields      []field
	spreadsheet bool
}

// NewWriter begins a file; a CSV file has its heading at once.
func NewWriter(w io.Writer, o WriterOptions) (*Writer, error) {
	out := &Writer{out: bufio.NewWriterSize(w, 64<<10), spreadsheet: o.Spreadsheet, fields: fields}
	if !o.Copies {
		out.fields = fields[:slices.IndexFunc(fields, func(f field) bool { return f.copies })]
	}
	if o.Format != CSV {
		out.json = json.NewEncoder(out.out)
		out.json.SetEscapeHTML(false)
		return out, nil
	}
	if o.Spreadsheet {
		out.out.WriteString(byteOrderMark)
	}
	out.csv = csv.NewWriter(out.out)
	return out, out.csv.Write(Fields[:len(out.fields)])
}

// Write adds a book.
func (w *Writer) Write(b Book) error {
	if w.csv == nil {
		return w.json.Encode(b)
	}
	row := make([]string, len(w.fields))
	for i := range w.fields {
		row[i] = w.fields[i].cell(&b)
		if w.spreadsheet && row[i] != "" && strings.ContainsRune("=+-@\t\r", rune(row[i][0])) {
			row[i] = "'" + row[i]
		}
	}
	return w.csv.Write(row)
}

// Flush writes what has not been written.
func (w *Writer) Flush() error {
	if w.csv != nil {
		w.csv.Flush()
		if err := w.csv.Error(); err != nil {
			return err
		}
	}
	return w.out.Flush()
}
