package marc

import (
	"bufio"
	"io"
	"strings"
)

// Format is how a file is written.
type Format string

const (
	ISO2709 Format = "marc"
	XML     Format = "marcxml"
)

// MaxRecord is how many bytes a record may have. ISO 2709 has room for 99,999; programs
// write longer ones nevertheless.
const MaxRecord = 512 << 10

// maxSubfields is how many subfields a record may have. Each takes more memory than the two
// bytes that it may have in a file.
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

// Options is what a reader has to know of a file.
type Options struct {
	Format  Format
	Partial bool // the file goes on: a record without an end is left for the next part
}

// Reader reads the records of a file.
type Reader struct {
	in    *source
	cut   func() ([]byte, error) // the next record as it stands in the file
	parse func([]byte) (Record, error)
}

// NewReader reads the records of a file.
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

// Read returns the next record, or io.EOF. After a [BrokenError] it can be called again;
// any other error is the end.
func (r *Reader) Read() (Record, error) {
	raw, err := r.cut()
	if err != nil {
		return Record{}, err
	}
	return r.parse(raw)
}

// Heading is how many bytes each part of a file has to begin with, because they say how it
// is written.
func (r *Reader) Heading() int64 { return r.in.heading }

// Next is how many bytes come before the next record.
func (r *Reader) Next() int64 { return r.in.done }

// source counts what is read.
type source struct {
	*bufio.Reader
	read    int64 // bytes
	heading int64
	done    int64 // of these, the bytes of records that have been returned, and before them
}

func (s *source) next() (byte, error) {
	b, err := s.ReadByte()
	if err == nil {
		s.read++
	}
	return b, err
}

// back puts back the byte that was read last.
func (s *source) back() error {
	s.read--
	return s.UnreadByte()
}

func (s *source) skip(n int) {
	n, _ = s.Discard(n)
	s.read += int64(n)
}

// skipAny skips bytes of a set.
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
