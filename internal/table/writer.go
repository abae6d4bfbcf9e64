package table

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
)

// WriterOptions is how a file is to be written.
type WriterOptions struct {
	Format Format
	// Spreadsheet makes a CSV file for the eyes of people: with the mark by
	// which spreadsheets know UTF-8, and with an apostrophe before each cell
	// that they would take for a formula. It reads back with the apostrophes.
	Spreadsheet bool
}

// Writer writes a file of records.
type Writer struct {
	out         *bufio.Writer
	csv         *csv.Writer // nil for JSON
	json        *json.Encoder
	spreadsheet bool
}

// NewWriter begins a file; a CSV file has its heading at once.
func NewWriter(w io.Writer, o WriterOptions, header []string) (*Writer, error) {
	out := &Writer{out: bufio.NewWriterSize(w, 64<<10), spreadsheet: o.Spreadsheet}
	if o.Format != CSV {
		out.json = json.NewEncoder(out.out)
		out.json.SetEscapeHTML(false)
		return out, nil
	}
	if o.Spreadsheet {
		out.out.WriteString(byteOrderMark)
	}
	out.csv = csv.NewWriter(out.out)
	return out, out.csv.Write(header)
}

// Write adds a record: an object to a JSON file, its cells to a CSV file.
func (w *Writer) Write(object any, cells func() []string) error {
	if w.csv == nil {
		return w.json.Encode(object)
	}
	row := cells()
	for i, cell := range row {
		if w.spreadsheet && cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
			row[i] = "'" + cell
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
