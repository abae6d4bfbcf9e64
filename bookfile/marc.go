package bookfile

import (
	"errors"
	"io"

	"example.org/library/internal/marc"
	"example.org/library/internal/table"
)

// MARCRow is a book, the record that it was made of, and the number of that, counted from 1.
type MARCRow struct {
	Number int
	Book   Book
	Record marc.Record
}

// MARCReader reads the books of a file of MARC records. Its memory does not grow with the
// file.
type MARCReader struct {
	in     *marc.Reader
	number int // of the next record
}

// NewMARCReader reads a file in one of the formats of MARC. Of the options, Format, Partial
// and Line are used; Line is the number of the first record.
func NewMARCReader(in io.Reader, o Options) *MARCReader {
	return &MARCReader{marc.NewReader(in, marc.Options{Format: marc.Format(o.Format), Partial: o.Partial}), max(o.Line, 1)}
}

// Read returns the next book, or io.EOF. After a [RowError], which has the number of the
// record for its line, it can be called again; any other error is the end.
func (r *MARCReader) Read() (MARCRow, error) {
	record, err := r.in.Read()
	number := r.number
	if broken, is := errors.AsType[*marc.BrokenError](err); is {
		r.number++
		return MARCRow{}, reason{Code: broken.Code, Text: broken.Reason}.At(number)
	}
	if err != nil {
		return MARCRow{}, err
	}
	r.number++
	return MARCRow{number, OfMARC(record), record}, nil
}

// Heading is how many bytes each part of a file has to begin with.
func (r *MARCReader) Heading() int { return int(r.in.Heading()) }

// Next is where the next record begins: how many bytes come before it, and its number.
func (r *MARCReader) Next() (offset, number int) { return int(r.in.Next()), r.number }

// Ignored is nothing: records have much that a book has not, and nobody expects it to be read.
func (r *MARCReader) Ignored() []string { return nil }

// Charset is what nobody needs to know: it is said in the records.
func (r *MARCReader) Charset() table.Charset { return "" }
