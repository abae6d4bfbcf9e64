package table

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

// Options describes a file to its reader.
type Options struct {
	Format Format
	// Columns are headings of a CSV file for fields of a record, instead of the
	// usual ones. A field with none is not read.
	Columns map[string][]string
	// Header has the headings for a CSV file without any.
	Header []string
	// Charset is the charset of a CSV file; "" to find out.
	Charset Charset
	// Partial is set if a CSV file goes on in another part: the reader leaves a
	// record without an end for the next part.
	Partial bool
	// Line is the line of the record below the heading, if it is not the next:
	// each part of a file has the heading in front.
	Line int
}

// Nouns name the records in messages.
type Nouns struct{ One, Many string }

// Record is a record and the line where it begins, counted from 1.
type Record struct {
	Line   int
	Cells  []string // of a CSV file, as many as it has columns
	Object []byte   // of a JSON file; valid until the next is read
}

// RowError says why a record cannot be used. Reading goes on after it.
type RowError struct {
	Line   int
	Code   string // a stable word for programs
	Reason string // goes on from "line 17"
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d %s", e.Line, e.Reason) }

// At returns the error for a record in some line.
func (r Reason) At(line int) *RowError { return &RowError{line, r.Code, r.Text} }

// Reader reads the records of a file. Its memory does not grow with the file.
type Reader struct {
	decoder *decoder
	pieces  *pieces
	comma   byte     // of a CSV file
	header  []string // of a CSV file
	heading int      // bytes before the first record of a CSV file
	array   *array   // nil unless the file is a JSON array

	ignored []string
}

// knownHeadings returns, for a header, a function that reports whether a heading is known.
type knownHeadings = func(header []string) func(heading string) bool

var notUTF8 = Reason{"not_utf8", "is not UTF-8; save the file as UTF-8"}

// NewReader returns a reader after looking at the beginning of a file. An error is one
// of the whole file. Known tells which headings are known, to find the separator.
func NewReader(r io.Reader, o Options, nouns Nouns, known knownHeadings) (*Reader, error) {
	d, err := decode(r, o)
	if err != nil {
		return nil, err
	}
	out := &Reader{decoder: d}
	in := bufio.NewReaderSize(d, maxHeader)
	if o.Format == CSV {
		return out, out.startCSV(in, o, known)
	}
	return out, out.startJSON(in, nouns)
}

func (r *Reader) startCSV(in *bufio.Reader, o Options, known knownHeadings) error {
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
	r.comma = findComma(start, o, known)
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
	if r.header = o.Header; r.header == nil {
		if r.header, err = r.readHeader(); err != nil {
			return err
		}
	} else if len(start) == 0 {
		return errEmpty
	}
	r.heading = r.pieces.size
	r.pieces.partial, r.pieces.next = o.Partial, cmp.Or(o.Line, r.pieces.next)
	return nil
}

var sepLine = regexp.MustCompile(`^(?i:sep)=([,;\t|])\r?\n`)

// findComma chooses the separator of the cells. It prefers the one with the most known headings in the first record, or
// else with the most cells. If the caller has given the headings, it prefers a separator with as many cells.
func findComma(start []byte, o Options, known knownHeadings) byte {
	best, most := byte(','), -1
	for _, comma := range []byte{',', ';', '\t', '|'} {
		n, open, wrong := endOfRecord(start, comma)
		if open || wrong.Is() {
			continue
		}
		if n == 0 {
			n = len(start)
		}
		header, fits := cells(start[:n], comma), 0
		isKnown := known(header)
		for _, heading := range header {
			if o.Header == nil && (isKnown(heading) || isOwn(heading, o.Columns)) {
				fits++
			}
		}
		if len(header) == len(o.Header) {
			fits = 1
		}
		if score := fits<<20 + len(header); score > most {
			best, most = comma, score
		}
	}
	return best
}

// readHeader reads the headings from the first record with text in it.
func (r *Reader) readHeader() ([]string, error) {
	for {
		text, err := r.pieces.read()
		switch {
		case errors.Is(err, io.EOF):
			return nil, errEmpty
		case err != nil:
			return nil, err
		case r.pieces.reason.Is():
			return nil, badHeading(r.pieces.line, r.pieces.reason.Text)
		case len(text) > maxHeader:
			return nil, badHeading(r.pieces.line, "is longer than 64 KiB")
		case !utf8.Valid(text):
			return nil, badHeading(r.pieces.line, notUTF8.Text)
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

func (r *Reader) startJSON(in *bufio.Reader, nouns Nouns) error {
	line := 1
	for { // only a look: it skips nothing but white space
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
			r.array = &array{nouns: nouns}
			cut = r.array.cut
		}
		r.pieces = newPieces(in, cut, line)
		return nil
	}
}

// Read returns the next record, or io.EOF. It skips blank ones. After a [RowError] it
// can be called again; any other error is the end.
func (r *Reader) Read() (Record, error) {
	for {
		text, err := r.pieces.read()
		line := r.pieces.line
		switch {
		case errors.Is(err, io.EOF) && r.array != nil && r.array.expects != nothing:
			return Record{}, fmt.Errorf("line %d: %w", r.pieces.next, errArrayEnds)
		case err != nil:
			return Record{}, err
		case r.pieces.reason.Is():
			return Record{}, r.pieces.reason.At(line)
		case !utf8.Valid(text):
			return Record{}, notUTF8.At(line)
		case r.header == nil && len(bytes.Trim(text, white)) > 0:
			return Record{Line: line, Object: text}, nil
		case r.header == nil:
			continue
		}
		row := cells(text, r.comma)
		switch {
		case blank(row):
		case len(row) != len(r.header):
			return Record{}, Reason{"cell_count", fmt.Sprintf("has %s, but the heading has %d", count(len(row), "cell"), len(r.header))}.At(line)
		default:
			for i := range row {
				row[i] = unguarded(row[i])
			}
			return Record{Line: line, Cells: row}, nil
		}
	}
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Header returns the headings of a CSV file, nil for JSON.
func (r *Reader) Header() []string { return r.header }

// Charset returns the charset of the file, "" if only ASCII was read so far.
func (r *Reader) Charset() Charset { return r.decoder.charset }

// Heading returns the number of bytes before the first record of a CSV file.
func (r *Reader) Heading() int { return r.heading }

// Next returns the place of the next record of a CSV file: the number of bytes before it, and its line.
func (r *Reader) Next() (offset, line int) { return r.pieces.size, r.pieces.next }

// Ignored returns the names passed to Ignore so far, up to a limit.
func (r *Reader) Ignored() []string { return r.ignored }

// Ignore notes names of columns or members without a use for the records.
func (r *Reader) Ignore(names ...string) {
	for _, name := range names {
		name = Shortened(name)
		if name != "" && len(r.ignored) < maxIgnored && !slices.Contains(r.ignored, name) {
			r.ignored = append(r.ignored, name)
		}
	}
}
