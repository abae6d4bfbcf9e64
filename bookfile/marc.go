package bookfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"example.org/library/internal/marc"
	"example.org/library/internal/table"
)

// MARCRow is a book, its record, and the number of the record, counted from 1.
type MARCRow struct {
	Number int
	Book   Book
	Record marc.Record
}

// MARCReader reads the books of a file of MARC records. Its memory does not grow with the file.
type MARCReader struct {
	in     *marc.Reader
	number int  // of the next record
	begins bool // no record has been read, and the file begins here
}

// errUNIMARC refuses the format of other catalogues, with the title in field 200.
var errUNIMARC = &FileError{Code: "file_unimarc", Message: "these are UNIMARC records, and the library reads MARC 21; export or convert them as MARC 21, and import that file"}

// NewMARCReader returns a reader of a file in any format of MARC, even if the options name another. It uses the options
// Format, Partial and Line; Line is the number of the first record. An error is about the whole file.
func NewMARCReader(in io.Reader, o Options) (*MARCReader, error) {
	file := bufio.NewReader(in)
	start, err := file.Peek(4 << 10)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if err := table.NoRecords(start); err != nil {
		return nil, err
	}
	format := marc.Format(o.Format)
	switch text := bytes.TrimLeft(bytes.TrimPrefix(start, []byte("\ufeff")), " \t\r\n"); {
	case bytes.HasPrefix(text, []byte("<")):
		format = marc.XML
	case table.IsMARC(text):
		format = marc.ISO2709
	}
	return &MARCReader{marc.NewReader(file, marc.Options{Format: format, Partial: o.Partial}), max(o.Line, 1), o.Line <= 1}, nil
}

// Read returns the next book, or io.EOF. After a [RowError], with the number of the record
// as its line, it can be called again; any other error is the end.
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
	if r.begins && isUNIMARC(record) {
		return MARCRow{}, errUNIMARC
	}
	r.number, r.begins = number+1, false
	return MARCRow{number, OfMARC(record), record}, nil
}

// isUNIMARC reports whether a record has its title in the field of UNIMARC.
func isUNIMARC(r marc.Record) bool {
	for _, f := range r.All("200") {
		return f.Has('a') && len(r.All("245")) == 0
	}
	return false
}

// Heading returns the number of bytes each part of a file has to begin with.
func (r *MARCReader) Heading() int { return int(r.in.Heading()) }

// Next returns the number of bytes before the next record, and the number of that record.
func (r *MARCReader) Next() (offset, number int) { return int(r.in.Next()), r.number }

// Ignored returns nil: records have much more than a book, and nobody expects it to be read.
func (r *MARCReader) Ignored() []string { return nil }

// Charset returns "": nobody needs to know the charset, because the records state it.
func (r *MARCReader) Charset() table.Charset { return "" }
