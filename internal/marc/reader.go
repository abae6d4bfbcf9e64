// Package marc reads and writes MARC 21 records, one after another: ISO 2709 and
// MARCXML. It knows nothing of the contents of the records.
//
//	Record      record.go   leader and fields, texts in NFC
//	Reader      reader.go   the records of a file, and errors for broken ones
//	            iso2709.go  the binary form, lenient about the faults of real files
//	            xml.go      MARCXML, cut into records before it is parsed
//	            marc8.go    the character sets of records not in Unicode
//	Writer      writer.go   both forms, in UTF-8
//
// marc8.txt has the sets of MARC-8 as the Library of Congress defines them: the last byte of the set's escape sequence,
// the first code, and the characters of it and of the codes after it.
//
// Memory does not grow with a file: a record has at most [MaxRecord] bytes, and a longer
// one is broken. Start reading at [NewReader].
package marc

import (
	"bufio"
	"io"
	"strings"
)

// Format is the format of a file.
type Format string

const (
	ISO2709 Format = "marc"
	XML     Format = "marcxml"
)

// MaxRecord is the largest size of a record in bytes. ISO 2709 has room for 99,999; programs
// write longer ones nevertheless.
const MaxRecord = 512 << 10

// maxSubfields is the largest number of subfields in a record. Each takes more memory than
// the two bytes that it may have in a file.
const maxSubfields = 1 << 16

// BrokenError says why a record cannot be read. Reading goes on with the next one.
type BrokenError struct {
	Code   string // a stable word for programs
	Reason string // goes on from "record 17"
}

func (e *BrokenError) Error() string { return e.Reason }

var (
	errTooLong    = &BrokenError{"record_too_long", "is longer than 512 KiB"}
	errTooShort   = &BrokenError{"record_broken", "is too short for a MARC record"}
	errDirectory  = &BrokenError{"record_broken", "has a directory that cannot be read"}
	errFieldCount = &BrokenError{"record_broken", "has another number of fields than its directory says"}
	errNoEnd      = &BrokenError{"record_broken", "has no end"}
	errNotXML     = &BrokenError{"record_broken", "is not well-formed XML"}
	errNoFields   = &BrokenError{"record_broken", "has no fields"}
	errSubfields  = &BrokenError{"record_broken", "has more than 65,536 subfields"}
	errTooDeep    = &BrokenError{"record_broken", "is nested too deeply"}
)

// Options describes a file to its reader.
type Options struct {
	Format  Format
	Partial bool // the file goes on: Read leaves a record without an end for the next part
}

// Reader reads the records of a file.
type Reader struct {
	in    *source
	cut   func() ([]byte, error) // returns the next record as it stands in the file
	parse func([]byte) (Record, error)
}

// NewReader returns a reader of the records of a file.
func NewReader(in io.Reader, o Options) *Reader {
	s := &source{Reader: bufio.NewReaderSize(in, MaxRecord+leaderLength)}
	r := &Reader{in: s}
	if o.Format == XML {
		cutter := &xmlCutter{in: s, partial: o.Partial}
		r.cut, r.parse = cutter.next, cutter.parse
		return r
	}
	cutter := &isoCutter{in: s, partial: o.Partial}
	r.cut, r.parse = cutter.next, cutter.parse
	return r
}

// Read returns the next record, or io.EOF. After a [BrokenError] it can be called again; any other error is the end.
func (r *Reader) Read() (Record, error) {
	raw, err := r.cut()
	if err != nil {
		return Record{}, err
	}
	return r.parse(raw)
}

// Heading returns the number of bytes to repeat at the beginning of each part of a file,
// because they declare its charset; 0 for none.
func (r *Reader) Heading() int64 { return r.in.heading }

// Next returns the number of bytes before the next record.
func (r *Reader) Next() int64 { return r.in.done }

// source counts the bytes it reads.
type source struct {
	*bufio.Reader
	read    int64 // bytes
	heading int64
	done    int64 // of these, the bytes up to the end of the last record returned
}

func (s *source) next() (byte, error) {
	b, err := s.ReadByte()
	if err == nil {
		s.read++
	}
	return b, err
}

// back puts back the last byte.
func (s *source) back() error {
	s.read--
	return s.UnreadByte()
}

func (s *source) skip(n int) {
	n, _ = s.Discard(n)
	s.read += int64(n)
}

// skipAny skips bytes as long as they are in a set.
func (s *source) skipAny(set string) error {
	for {
		b, err := s.Peek(1)
		if err != nil {
			return err
		}
		if strings.IndexByte(set, b[0]) < 0 {
			return nil
		}
		s.skip(1)
	}
}
