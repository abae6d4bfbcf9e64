package bookfile

import (
	"io"
	"slices"

	"example.org/library/internal/marc"
	"example.org/library/internal/table"
)

// WriterOptions is how a file is to be written.
type WriterOptions struct {
	Format      Format
	Spreadsheet bool // CSV for the eyes of people: see table.WriterOptions
	// Copies writes how many copies there are, their barcodes and their shelf, too.
	Copies bool
}

// Writer writes a file of books. Without Spreadsheet a [Reader] reads exactly
// the books that were written.
type Writer struct {
	out    *table.Writer
	fields []field
	marc   *marc.Writer // in the place of both, for MARC
}

// NewWriter begins a file; a CSV file has its heading at once.
func NewWriter(w io.Writer, o WriterOptions) (*Writer, error) {
	if IsMARC(o.Format) {
		return &Writer{marc: marc.NewWriter(w, marc.Format(o.Format))}, nil
	}
	written := fields
	if !o.Copies {
		written = fields[:slices.IndexFunc(fields, func(f field) bool { return f.copies })]
	}
	out, err := table.NewWriter(w, table.WriterOptions{Format: o.Format, Spreadsheet: o.Spreadsheet}, Fields[:len(written)])
	return &Writer{out: out, fields: written}, err
}

// Write adds a book.
func (w *Writer) Write(b Book) error {
	if w.marc != nil {
		return w.marc.Write(ToMARC(b))
	}
	return w.out.Write(b, func() []string {
		row := make([]string, len(w.fields))
		for i := range w.fields {
			row[i] = w.fields[i].cell(&b)
		}
		return row
	})
}

// Flush ends the file, and writes what has not been written.
func (w *Writer) Flush() error {
	if w.marc != nil {
		return w.marc.Close()
	}
	return w.out.Flush()
}
