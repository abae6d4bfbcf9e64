package bookfile

import (
	"io"
	"maps"
	"slices"
	"strings"

	"example.org/library/internal/table"
)

// Row is a book and the line where its record begins, counted from 1.
type Row struct {
	Line int
	Book Book
}

// Reader reads the books of a file. Its memory does not grow with the file.
//
// Ignored names the columns of a CSV file without a field of a book, or the
// members of that kind in the JSON read so far.
type Reader struct {
	*table.Reader
	columns []column // of a CSV file
}

// NewReader looks at the beginning of a file. An error is about the whole file.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	in, err := table.NewReader(r, o, table.Nouns{One: "book", Many: "books"}, func(header []string) func(string) bool {
		export := exportOf(header)
		return func(heading string) bool { return export.columnOf(heading).field != "" }
	})
	if err != nil {
		return nil, err
	}
	out := &Reader{Reader: in}
	if o.Format != CSV {
		return out, nil
	}
	if out.columns, err = assign(in.Header(), o.Columns); err != nil {
		return nil, err
	}
	for i, c := range out.columns {
		if c.field == "" {
			out.Ignore(in.Header()[i])
		}
	}
	return out, nil
}

// Read returns the next book, or io.EOF. After a [RowError] it can be called again; any other error is the end.
func (r *Reader) Read() (Row, error) {
	record, err := r.Reader.Read()
	if err != nil {
		return Row{}, err
	}
	book, bad := r.book(record)
	if bad.Is() {
		return Row{}, bad.At(record.Line)
	}
	return Row{record.Line, book}, nil
}

// book makes a book of a record.
func (r *Reader) book(record table.Record) (Book, reason) {
	if r.columns == nil {
		b, unknown, bad := jsonBook(record.Object)
		r.Ignore(unknown...)
		return b, bad
	}
	b, bad := bookOf(record.Cells, r.columns)
	for i, c := range r.columns {
		if c.onlyOurs && b.Identifier == "" && strings.TrimSpace(record.Cells[i]) != "" {
			r.Ignore(table.Shortened(r.Header()[i]) + " (no identifiers of a library)")
		}
	}
	return b, bad
}

// jsonBook makes a book of a JSON object, or returns why it cannot. Unknown
// lists the members without a field of a book.
func jsonBook(text []byte) (b Book, unknown []string, bad reason) {
	members, wrong := table.Object(text)
	if wrong != "" {
		return b, nil, notABook(wrong)
	}
	for i := range fields {
		f := &fields[i]
		if value, is := members[f.name]; is && !bad.Is() {
			bad = f.readJSON(&b, value)
		}
		delete(members, f.name)
	}
	return b, slices.Sorted(maps.Keys(members)), bad
}

func notABook(text string) reason { return reason{Code: "not_a_book", Text: text} }
