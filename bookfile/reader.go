package bookfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Options is what a reader has to know of a file.
type Options struct {
	Format Format
	// Columns are headings of a CSV file for fields of a book, instead of the
	// usual ones. A field with none is not read.
	Columns map[string][]string
}

// Row is a book and the line where its record begins, counted from 1.
type Row struct {
	Line int
	Book Book
}

// RowError says why a record is not a book. Reading goes on behind it.
type RowError struct {
	Line   int
	Reason string // goes on from "line 17"
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Reason) }

// Reader reads the books of a file. Its memory does not grow with the file.
type Reader struct {
	pieces *pieces
	comma  byte     // of a CSV file
	fields []string // of a CSV file, by column
	array  *array   // nil unless the file is a JSON array

	ignored []string
}

var (
	errEmpty   = errors.New("the file is empty")
	errUTF16   = errors.New("the file is UTF-16; save it as UTF-8 (spreadsheets call it \"CSV UTF-8\")")
	errNotUTF8 = errors.New("the heading is not UTF-8; save the file as UTF-8 (spreadsheets call it \"CSV UTF-8\")")
)

const notUTF8 = "is not UTF-8; save the file as UTF-8"

// NewReader looks at the beginning of a file. An error is one of the whole file.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	in := bufio.NewReaderSize(r, maxHeader)
	start, err := in.Peek(3)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case bytes.HasPrefix(start, []byte{0xff, 0xfe}), bytes.HasPrefix(start, []byte{0xfe, 0xff}):
		return nil, errUTF16
	case bytes.HasPrefix(start, []byte(byteOrderMark)):
		in.Discard(len(byteOrderMark))
	}
	if o.Format == CSV {
		return newCSVReader(in, o)
	}
	return newJSONReader(in)
}

const (
	byteOrderMark = "\ufeff"
	maxHeader     = 64 << 10
)

func newCSVReader(in *bufio.Reader, o Options) (*Reader, error) {
	start, err := in.Peek(maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	start = slices.Clone(start) // reading on overwrites it
	line, comma := 1, findComma(start, o.Columns)
	// Spreadsheets write and obey such a line.
	if said := sepLine.FindSubmatch(start); said != nil {
		in.Discard(len(said[0]))
		start = start[len(said[0]):]
		line, comma = 2, said[1][0]
	}
	r := &Reader{pieces: newPieces(in, cutRecord(comma), line), comma: comma}
	header, err := r.header()
	if err != nil {
		return nil, err
	}
	if r.fields, err = assign(header, o.Columns); err != nil {
		return nil, err
	}
	for i, field := range r.fields {
		if field == "" {
			r.ignore(header[i])
		}
	}
	r.leaveForeign(header, o.Columns, start)
	return r, nil
}

var sepLine = regexp.MustCompile(`^(?i:sep)=([,;\t|])\r?\n`)

// findComma chooses what separates the cells: that of which the first record
// makes the most headings that are known, or else the most cells.
func findComma(start []byte, own map[string][]string) byte {
	best, most := byte(','), -1
	for _, comma := range []byte{',', ';', '\t'} {
		n, open, fault := endOfRecord(start, comma)
		if open || fault != "" {
			continue
		}
		if n == 0 {
			n = len(start)
		}
		header := cells(start[:n], comma)
		known := 0
		for _, heading := range header {
			if FieldOf(heading) != "" || isOwn(heading, own) {
				known++
			}
		}
		if score := known<<20 + len(header); score > most {
			best, most = comma, score
		}
	}
	return best
}

func isOwn(heading string, own map[string][]string) bool {
	for _, wanted := range own {
		if slices.ContainsFunc(wanted, func(w string) bool { return plain(w) == plain(heading) }) {
			return true
		}
	}
	return false
}

// header reads the first record that is not blank.
func (r *Reader) header() ([]string, error) {
	for {
		text, err := r.pieces.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errEmpty
		case err != nil:
			return nil, err
		case r.pieces.reason != "":
			return nil, fmt.Errorf("the heading in line %d %s", r.pieces.line, r.pieces.reason)
		case !utf8.Valid(text):
			return nil, errNotUTF8
		}
		if header := cells(text, r.comma); !blank(header) {
			for i := range header {
				header[i] = strings.TrimSpace(header[i])
			}
			return header, nil
		}
	}
}

func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

func newJSONReader(in *bufio.Reader) (*Reader, error) {
	r := &Reader{}
	line := 1
	for { // only a look: what it skips is white
		c, err := in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if c == '\n' {
			line++
		}
		if err == nil && strings.IndexByte(white, c) >= 0 {
			continue
		}
		if err == nil {
			in.UnreadByte()
		}
		cut := cutLine
		if c == '[' {
			r.array = &array{}
			cut = r.array.cut
		}
		r.pieces = newPieces(in, cut, line)
		return r, nil
	}
}

// Read returns the next book, or io.EOF. After a [RowError] it can be called
// again; any other error is the end.
func (r *Reader) Read() (Row, error) {
	for {
		text, err := r.pieces.read()
		line := r.pieces.line
		switch {
		case errors.Is(err, io.EOF) && r.array != nil && r.array.expects != nothing:
			return Row{}, fmt.Errorf("line %d: %w", r.pieces.next, errArrayEnds)
		case err != nil:
			return Row{}, err
		case r.pieces.reason != "":
			return Row{}, &RowError{line, r.pieces.reason}
		case !utf8.Valid(text):
			return Row{}, &RowError{line, notUTF8}
		}
		book, there, reason := r.book(text)
		if reason != "" {
			return Row{}, &RowError{line, reason}
		}
		if there {
			return Row{line, book}, nil
		}
	}
}

// book makes a book of a record. There says that the record is not blank.
func (r *Reader) book(text []byte) (b Book, there bool, reason string) {
	if r.fields == nil {
		if len(bytes.Trim(text, white)) == 0 {
			return b, false, ""
		}
		b, unknown, reason := jsonBook(text)
		r.ignore(unknown...)
		return b, true, reason
	}
	row := cells(text, r.comma)
	switch {
	case blank(row):
		return b, false, ""
	case len(row) != len(r.fields):
		return b, true, fmt.Sprintf("has %s, but the heading has %d", count(len(row), "cell"), len(r.fields))
	}
	b, reason = bookOf(row, r.fields)
	return b, true, reason
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Ignored names the columns of a CSV file that are no field of a book, or the
// members of that kind in the JSON that has been read so far.
func (r *Reader) Ignored() []string { return r.ignored }

func (r *Reader) ignore(names ...string) {
	for _, name := range names {
		name = shortened(name)
		if name != "" && len(r.ignored) < maxIgnored && !slices.Contains(r.ignored, name) {
			r.ignored = append(r.ignored, name)
		}
	}
}
