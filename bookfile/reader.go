package bookfile

import (
	"bufio"
	"bytes"
	"cmp"
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
	// Charset is how a CSV file is written; "" to find out.
	Charset Charset
	// Partial says that a CSV file goes on after what is read: a record that
	// has no end there is left for the next part.
	Partial bool
	// Line is the line of the record below the heading, if that is not the next:
	// each part of a file has the heading in front.
	Line int
}

// Row is a book and the line where its record begins, counted from 1.
type Row struct {
	Line int
	Book Book
}

// RowError says why a record is not a book. Reading goes on after it.
type RowError struct {
	Line   int
	Code   string // a stable word for programs
	Reason string // goes on from "line 17"
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Reason) }

// Reader reads the books of a file. Its memory does not grow with the file.
type Reader struct {
	decoder *decoder
	pieces  *pieces
	comma   byte     // of a CSV file
	header  []string // of a CSV file
	columns []column // of a CSV file
	heading int      // bytes before the first record of a CSV file
	array   *array   // nil unless the file is a JSON array

	ignored []string
}

var notUTF8 = reason{"not_utf8", "is not UTF-8; save the file as UTF-8"}

// NewReader looks at the beginning of a file. An error is one of the whole file.
func NewReader(r io.Reader, o Options) (*Reader, error) {
	d, err := decode(r, o)
	if err != nil {
		return nil, err
	}
	out := &Reader{decoder: d}
	in := bufio.NewReaderSize(d, maxHeader)
	if o.Format == CSV {
		return out, out.startCSV(in, o)
	}
	return out, out.startJSON(in)
}

func (r *Reader) startCSV(in *bufio.Reader, o Options) error {
	in, err := unixLines(in)
	if err != nil {
		return err
	}
	start, err := in.Peek(maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	start = slices.Clone(start) // reading on overwrites it
	line, sep := 1, 0
	r.comma = findComma(start, o.Columns)
	// Spreadsheets write and obey such a line.
	if said := sepLine.FindSubmatch(start); said != nil {
		sep, r.comma, line = len(said[0]), said[1][0], 2
		if _, err := in.Discard(sep); err != nil {
			return err
		}
	}
	r.pieces = newPieces(in, cutRecord(r.comma), line)
	r.pieces.measure = func(text []byte) int { return r.decoder.charset.size(text) }
	r.pieces.size = r.decoder.mark + r.pieces.measure(start[:sep])
	if r.header, err = r.readHeader(); err != nil {
		return err
	}
	r.heading = r.pieces.size
	r.pieces.partial, r.pieces.next = o.Partial, cmp.Or(o.Line, r.pieces.next)
	if r.columns, err = assign(r.header, o.Columns); err != nil {
		return err
	}
	for i, c := range r.columns {
		if c.field == "" {
			r.ignore(r.header[i])
		}
	}
	return nil
}

var sepLine = regexp.MustCompile(`^(?i:sep)=([,;\t|])\r?\n`)

// findComma chooses what separates the cells: that of which the first record
// makes the most headings that are known, or else the most cells.
func findComma(start []byte, own map[string][]string) byte {
	best, most := byte(','), -1
	for _, comma := range []byte{',', ';', '\t', '|'} {
		n, open, wrong := endOfRecord(start, comma)
		if open || wrong.is() {
			continue
		}
		if n == 0 {
			n = len(start)
		}
		header := cells(start[:n], comma)
		known, export := 0, exportOf(header)
		for _, heading := range header {
			if export.columnOf(heading).field != "" || isOwn(heading, own) {
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

// readHeader reads the first record that is not blank.
func (r *Reader) readHeader() ([]string, error) {
	for {
		text, err := r.pieces.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errEmpty
		case err != nil:
			return nil, err
		case r.pieces.reason.is():
			return nil, badHeading(r.pieces.line, r.pieces.reason.text)
		case len(text) > maxHeader:
			return nil, badHeading(r.pieces.line, "is longer than 64 KiB")
		case !utf8.Valid(text):
			return nil, badHeading(r.pieces.line, notUTF8.text)
		}
		if header := cells(text, r.comma); !blank(header) {
			for i := range header {
				header[i] = strings.TrimSpace(header[i])
			}
			return header, nil
		}
	}
}

func badHeading(line int, text string) error {
	return &FileError{"file_heading", fmt.Sprintf("the heading in line %d %s", line, text)}
}

func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

func (r *Reader) startJSON(in *bufio.Reader) error {
	line := 1
	for { // only a look: what it skips is white
		c, err := in.ReadByte()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
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
		return nil
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
		}
		bad := r.pieces.reason
		if !bad.is() && !utf8.Valid(text) {
			bad = notUTF8
		}
		var book Book
		there := true
		if !bad.is() {
			book, there, bad = r.book(text)
		}
		if bad.is() {
			return Row{}, &RowError{line, bad.code, bad.text}
		}
		if there {
			return Row{line, book}, nil
		}
	}
}

// book makes a book of a record. There says that the record is not blank.
func (r *Reader) book(text []byte) (b Book, there bool, bad reason) {
	if r.columns == nil {
		if len(bytes.Trim(text, white)) == 0 {
			return b, false, bad
		}
		b, unknown, bad := jsonBook(text)
		r.ignore(unknown...)
		return b, true, bad
	}
	row := cells(text, r.comma)
	switch {
	case blank(row):
		return b, false, bad
	case len(row) != len(r.columns):
		return b, true, reason{"cell_count", fmt.Sprintf("has %s, but the heading has %d", count(len(row), "cell"), len(r.columns))}
	}
	b, bad = bookOf(row, r.columns)
	for i, c := range r.columns {
		if c.onlyOurs && b.Identifier == "" && strings.TrimSpace(row[i]) != "" {
			r.ignore(shortened(r.header[i]) + " (no identifiers of a library)")
		}
	}
	return b, true, bad
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Charset is how the file is written; "" if all that was read so far is ASCII.
func (r *Reader) Charset() Charset { return r.decoder.charset }

// Heading is how many bytes of a CSV file come before its first record.
func (r *Reader) Heading() int { return r.heading }

// Next is where the next record of a CSV file begins: how many bytes come before
// it, and its line.
func (r *Reader) Next() (offset, line int) { return r.pieces.size, r.pieces.next }

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
