package table

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Charset is how the characters of a file are written as bytes.
type Charset string

// The charsets that are read.
const (
	UTF8        Charset = "utf-8"
	UTF16LE     Charset = "utf-16le"
	UTF16BE     Charset = "utf-16be"
	Windows1252 Charset = "windows-1252" // what spreadsheets in western languages save unless told otherwise
)

// CharsetOf knows a charset by its registered names. ASCII is UTF-8, and
// Latin-1 is a part of Windows-1252.
func CharsetOf(name string) (c Charset, known bool) {
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "us-ascii":
		return UTF8, true
	case "utf-16le", "utf-16":
		return UTF16LE, true
	case "utf-16be":
		return UTF16BE, true
	case "windows-1252", "cp1252", "iso-8859-1", "latin1":
		return Windows1252, true
	}
	return "", false
}

// size is how many bytes a text had in the file before it was decoded.
func (c Charset) size(text []byte) int {
	switch c {
	case Windows1252:
		return utf8.RuneCount(text)
	case UTF16LE, UTF16BE:
		units := 0
		for _, r := range string(text) {
			units += utf16.RuneLen(r)
		}
		return 2 * units
	}
	return len(text)
}

// decoder makes UTF-8 of a file as it is read.
type decoder struct {
	raw     *bufio.Reader
	charset Charset // "" while all that was read is ASCII, and nobody said
	mark    int     // bytes of the byte order mark
	partial bool    // the file goes on after what is read
	text    io.Reader
}

const (
	byteOrderMark = "\ufeff"
	maxHeader     = 64 << 10
)

var errUTF16 = &FileError{"file_utf16", "the file is UTF-16; save it as UTF-8"}

// decode looks at the beginning of a file. Only a CSV file is read in another
// charset than UTF-8: JSON has no other.
func decode(in io.Reader, o Options) (*decoder, error) {
	d := &decoder{raw: bufio.NewReaderSize(in, maxHeader), charset: o.Charset, partial: o.Partial}
	start, err := d.raw.Peek(maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if err := otherKind(start); err != nil {
		return nil, err
	}
	if charset, mark := charsetOfStart(start); charset != "" {
		d.charset, d.mark = charset, mark
	}
	isUTF16 := d.charset == UTF16LE || d.charset == UTF16BE
	switch {
	case isUTF16 && o.Format != CSV:
		return nil, errUTF16
	case !isUTF16 && bytes.IndexByte(firstLine(start), 0) >= 0:
		return nil, errBinary
	case o.Format != CSV:
		d.charset = UTF8
	}
	if _, err := d.raw.Discard(d.mark); err != nil {
		return nil, err
	}
	d.choose()
	return d, nil
}

// firstLine is where other files than text have zeros. Further on they make
// one record invalid.
func firstLine(start []byte) []byte {
	if end := bytes.IndexAny(start, "\r\n"); end >= 0 {
		return start[:end]
	}
	return start
}

// choose begins to decode, if the charset is known.
func (d *decoder) choose() {
	switch d.charset {
	case UTF8:
		d.text = d.raw
	case Windows1252:
		d.text = charmap.Windows1252.NewDecoder().Reader(d.raw)
	case UTF16LE:
		d.text = unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder().Reader(d.raw)
	case UTF16BE:
		d.text = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Reader(d.raw)
	}
}

// Read reads ASCII as it is. The first character that is none decides what the
// charset is, together with those that follow it.
func (d *decoder) Read(p []byte) (int, error) {
	if d.text != nil {
		return d.text.Read(p)
	}
	if _, err := d.raw.Peek(1); err != nil {
		return 0, err
	}
	some, _ := d.raw.Peek(min(d.raw.Buffered(), len(p)))
	n := 0
	for n < len(some) && some[n] < utf8.RuneSelf {
		n++
	}
	if n > 0 {
		copy(p, some[:n])
		_, err := d.raw.Discard(n)
		return n, err
	}
	ahead, _ := d.raw.Peek(maxHeader)
	if d.charset = guess(ahead, d.partial || len(ahead) == maxHeader); d.charset == "" {
		return d.raw.Read(p)
	}
	d.choose()
	return d.text.Read(p)
}

// guess tells UTF-8 from Windows-1252. Text that has more good UTF-8 in it than
// bad is UTF-8 that was damaged. Nothing is told by the beginning of a character
// where the text is cut.
func guess(text []byte, isCut bool) Charset {
	good, bad := 0, 0
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case isCut && !utf8.FullRune(text):
			n = len(text)
		case r == utf8.RuneError && n == 1:
			bad++
		case n > 1:
			good++
		}
		text = text[n:]
	}
	switch {
	case good+bad == 0:
		return ""
	case good > bad:
		return UTF8
	}
	return Windows1252
}

// charsetOfStart is what the first bytes of a file say: a byte order mark, or
// the zeros that UTF-16 has in every character of a heading.
func charsetOfStart(start []byte) (c Charset, mark int) {
	switch {
	case bytes.HasPrefix(start, []byte(byteOrderMark)):
		return UTF8, len(byteOrderMark)
	case bytes.HasPrefix(start, []byte{0xff, 0xfe}):
		return UTF16LE, 2
	case bytes.HasPrefix(start, []byte{0xfe, 0xff}):
		return UTF16BE, 2
	}
	pairs := min(len(start)/2, 32)
	zeros := [2]int{}
	for i, b := range start[:2*pairs] {
		if b == 0 {
			zeros[i%2]++
		}
	}
	switch {
	case pairs < 2:
	case zeros[0] == 0 && zeros[1] > pairs/2:
		return UTF16LE, 0
	case zeros[1] == 0 && zeros[0] > pairs/2:
		return UTF16BE, 0
	}
	return "", 0
}

// unixLines lets lines end with LF, as everything else here expects them: in a
// file whose first line ends with a CR alone, each such CR becomes an LF.
func unixLines(in *bufio.Reader) (*bufio.Reader, error) {
	start, err := in.Peek(maxHeader)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !endsWithCR(start) {
		return in, nil
	}
	return bufio.NewReaderSize(crLines{in}, maxHeader), nil
}

// endsWithCR reports whether the first line break that is not within quotation
// marks is a CR alone.
func endsWithCR(start []byte) bool {
	quoted := false
	for i, c := range start {
		switch {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '\n':
			return false
		case c == '\r':
			return i+1 == len(start) || start[i+1] != '\n'
		}
	}
	return bytes.IndexByte(start, '\r') >= 0 && bytes.IndexByte(start, '\n') < 0
}

type crLines struct{ in *bufio.Reader }

func (c crLines) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	for i := range p[:n] {
		if p[i] != '\r' {
			continue
		}
		next := p[i+1 : n]
		if len(next) == 0 {
			next, _ = c.in.Peek(1)
		}
		if len(next) == 0 || next[0] != '\n' {
			p[i] = '\n'
		}
	}
	return n, err
}
