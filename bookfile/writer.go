package bookfile

import (
	"io"

	"example.org/library/internal/marc"
	"example.org/library/internal/table"
)

// WriterOptions describes how to write a file.
type WriterOptions = table.WriterOptions

// Writer writes a file of books. Without Spreadsheet a [Reader] reads exactly the books written.
type Writer struct {
	out  *table.Writer
	marc *marc.Writer // instead of out, for MARC
}

// NewWriter begins a file; a CSV file has its heading at once.
func NewWriter(w io.Writer, o WriterOptions) (*Writer, error) {
	if IsMARC(o.Format) {
		return &Writer{marc: marc.NewWriter(w, marc.Format(o.Format))}, nil
	}
	out, err := table.NewWriter(w, o, Fields)
	return &Writer{out: out}, err
}

// Write adds a book.
func (w *Writer) Write(b Book) error {
	if w.marc != nil {
		return w.marc.Write(ToMARC(b))
	}
	return w.out.Write(b, func() []string {
		row := make([]string, len(fields))
		for i := range fields {
			row[i] = fields[i].cell(&b)
		}
		return row
	})
}

// Flush ends the file.
func (w *Writer) Flush() error {
	if w.marc != nil {
		return w.marc.Close()
	}
	return w.out.Flush()
}
