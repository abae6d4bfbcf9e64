package userfile

import (
	"io"

	"example.org/library/internal/table"
)

// Writer writes a file of people. Without Spreadsheet a [Reader] reads exactly the people written.
type Writer struct{ out *table.Writer }

// NewWriter begins a file; a CSV file has its heading at once.
func NewWriter(w io.Writer, o table.WriterOptions) (*Writer, error) {
	var header []string
	for _, f := range fields {
		header = append(header, f.heading)
	}
	out, err := table.NewWriter(w, o, header)
	return &Writer{out}, err
}

// Write adds a person.
func (w *Writer) Write(u User) error {
	return w.out.Write(u, func() []string {
		row := make([]string, len(fields))
		for i := range fields {
			row[i] = fields[i].cell(&u)
		}
		return row
	})
}

// Flush ends the file.
func (w *Writer) Flush() error { return w.out.Flush() }
