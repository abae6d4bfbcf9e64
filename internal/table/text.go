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

// Charset is the encoding of the characters of a file.
type Charset string

// The charsets known to the reader.
const (
	UTF8        Charset = "utf-8"
	UTF16LE     Charset = "utf-16le"
	UTF16BE     Charset = "utf-16be"
	Windows1252 Charset = "windows-1252" // the default of spreadsheets in western languages
)

// CharsetOf returns the charset with a registered name. ASCII is UTF-8, and Latin-1 is a part of Windows-1252.
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

// size returns the number of bytes of a decoded text in the file.
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

// decoder converts a file to UTF-8 while reading it.
type decoder struct {
	raw     *bufio.Reader
	charset Charset // "" if the caller gave none, and only ASCII was read
	mark    int     // bytes of the byte order mark
	partial bool    // the file goes on in another part
	text    io.Reader
}

const (
	byteOrderMark = "\ufeff"
	maxHeader     = 64 << 10
)

var errUTF16 = &FileError{"file_utf16", "the file is UTF-16; save it as UTF-8"}

// decode returns a decoder after looking at the beginning of a file. Only a CSV
// file is read in another charset than UTF-8: JSON has no other.
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

// firstLine returns the first line of a file. Zeros in it show a file other than
// text. Further on they make one record invalid.
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

// Read reads ASCII as it is. The first other character decides the charset, together with the characters after it.
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

// guess tells UTF-8 from Windows-1252, and returns "" for ASCII. Text with more good than bad UTF-8 in it is damaged
// UTF-8. If the text is cut, guess ignores the beginning of a character at its end.
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

// charsetOfStart returns the charset shown by the first bytes of a file: by a byte order mark, or by the zeros of
// UTF-16 in every character of a heading. It also returns the length of the mark.
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

// unixLines makes lines end with LF, as all other code here expects: if the first
// line of a file ends with a CR alone, each such CR becomes an LF.
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

// endsWithCR reports whether the first line break outside of quotation marks is a CR alone.
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
