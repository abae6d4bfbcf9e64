package table

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"io"
	"regexp"
)

// WriterOptions describes the file to write.
type WriterOptions struct {
	Format Format
	// Spreadsheet makes a CSV file for the eyes of people: with the mark by which spreadsheets know UTF-8, and with an
	// apostrophe before each cell they would take for a formula.
	Spreadsheet bool
	Comma       rune // between the cells of CSV; 0 for a comma
}

// Writer writes a file of records: a CSV table, or a JSON array with a record per line.
type Writer struct {
	out         *bufio.Writer
	csv         *csv.Writer // nil for JSON
	any         bool        // a record has been written
	spreadsheet bool
}

// NewWriter begins a file; a CSV file has its heading at once.
func NewWriter(w io.Writer, o WriterOptions, header []string) (*Writer, error) {
	out := &Writer{out: bufio.NewWriterSize(w, 64<<10), spreadsheet: o.Spreadsheet}
	if o.Format != CSV {
		return out, nil
	}
	if o.Spreadsheet {
		out.out.WriteString(byteOrderMark)
	}
	out.csv = csv.NewWriter(out.out)
	out.csv.Comma = cmp.Or(o.Comma, ',')
	return out, out.csv.Write(header)
}

// formula matches a cell that a spreadsheet takes for a formula. Spaces in front and the wide
// forms of the signs change nothing.
var formula = regexp.MustCompile(`^(?:[\s\p{Z}]*[=+\-@＝＋－＠]|[\t\r])`)

// numeral matches a cell in which a spreadsheet would drop digits.
var numeral = regexp.MustCompile(`^(?:0[0-9]+|[0-9]{16,})$`)

// Write adds a record: an object to a JSON file, its cells to a CSV file.
func (w *Writer) Write(object any, cells func() []string) error {
	if w.csv == nil {
		return w.writeJSON(object)
	}
	row := cells()
	for i, cell := range row {
		switch {
		case !w.spreadsheet:
		case formula.MatchString(cell):
			row[i] = "'" + cell
		case numeral.MatchString(cell):
			row[i] = `="` + cell + `"`
		}
	}
	return w.csv.Write(row)
}

func (w *Writer) writeJSON(object any) error {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(object); err != nil {
		return err
	}
	begin := "[\n"
	if w.any {
		begin = ",\n"
	}
	w.any = true
	w.out.WriteString(begin) // the next Write or Flush reports an error
	_, err := w.out.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
	return err
}

// Flush ends the file.
func (w *Writer) Flush() error {
	switch {
	case w.csv != nil:
		w.csv.Flush()
		if err := w.csv.Error(); err != nil {
			return err
		}
	case w.any:
		w.out.WriteString("\n]\n")
	default:
		w.out.WriteString("[]\n")
	}
	return w.out.Flush()
}
