package marc

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Writer writes a file of records in UTF-8.
type Writer struct {
	out    *bufio.Writer
	format Format
	ended  bool
}

const (
	xmlBegin = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<collection xmlns="http://www.loc.gov/MARC21/slim">` + "\n"
	xmlEnd   = "</collection>\n"
)

// NewWriter begins a file.
func NewWriter(out io.Writer, format Format) *Writer {
	w := &Writer{out: bufio.NewWriter(out), format: format}
	if format == XML {
		w.out.WriteString(xmlBegin) // an error is reported again by Close
	}
	return w
}

// Write adds a record. Its leader is made to fit.
func (w *Writer) Write(r Record) error {
	text := AppendISO
	if w.format == XML {
		text = appendXML
	}
	_, err := w.out.Write(text(nil, r))
	return err
}

// Close ends the file. It does not close the underlying writer.
func (w *Writer) Close() error {
	if w.format == XML && !w.ended {
		w.out.WriteString(xmlEnd)
	}
	w.ended = true
	return w.out.Flush()
}

// The largest lengths of a record and a field in ISO 2709. A longer one gets this as its
// length, and lenient readers, such as ours, read it by its marks.
const (
	maxLength      = 99999
	maxFieldLength = 9999
)

// AppendISO appends a record as ISO 2709.
func AppendISO(out []byte, r Record) []byte {
	var directory, data bytes.Buffer
	for _, f := range r.Fields {
		start := data.Len()
		if IsControl(f.Tag) {
			data.WriteString(plain(f.Value))
		} else {
			data.Write([]byte{mark(f.Ind1), mark(f.Ind2)})
			for _, s := range f.Subfields {
				data.Write([]byte{subfieldBegin, mark(s.Code)})
				data.WriteString(plain(s.Value))
			}
		}
		data.WriteByte(fieldEnd)
		fmt.Fprintf(&directory, "%3.3s%04d%05d", f.Tag, min(data.Len()-start, maxFieldLength), min(start, maxLength))
	}
	base := leaderLength + directory.Len() + 1
	leader := leaderOf(r)
	out = fmt.Appendf(out, "%05d%s%05d%s4500", min(base+data.Len()+1, maxLength), leader[5:12], min(base, maxLength), leader[17:20])
	out = append(append(out, directory.Bytes()...), fieldEnd)
	return append(append(out, data.Bytes()...), recordEnd)
}

// leaderOf returns the leader for writing a record in UTF-8.
func leaderOf(r Record) string {
	leader := []byte(fmt.Sprintf("%-24.24s", strings.Map(onlyASCII, r.Leader)))
	leader[9], leader[10], leader[11] = 'a', '2', '2'
	copy(leader[20:], "4500")
	return string(leader)
}

func onlyASCII(r rune) rune {
	if r < ' ' || r > '~' {
		return ' '
	}
	return r
}

// mark returns an indicator or the code of a subfield, a blank if it is not printable ASCII.
func mark(b byte) byte {
	if b <= ' ' || b > '~' {
		return ' '
	}
	return b
}

// plain returns a text without control characters, except line breaks and tabs: they have a meaning in files. A letter
// and an accent on both sides of a dropped one become one character.
func plain(text string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' && r != '\r' || r == 0x7F {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, replacement)))
}

func appendXML(out []byte, r Record) []byte {
	leader := leaderOf(r)
	b := bytes.NewBuffer(out)
	fmt.Fprintf(b, "<record><leader>00000%s00000%s4500</leader>", escaped(leader[5:12]), escaped(leader[17:20]))
	for _, f := range r.Fields {
		if IsControl(f.Tag) {
			fmt.Fprintf(b, `<controlfield tag="%s">%s</controlfield>`, escaped(f.Tag), escaped(f.Value))
			continue
		}
		fmt.Fprintf(b, `<datafield tag="%s" ind1="%s" ind2="%s">`, escaped(f.Tag), escaped(string(mark(f.Ind1))), escaped(string(mark(f.Ind2))))
		for _, s := range f.Subfields {
			fmt.Fprintf(b, `<subfield code="%s">%s</subfield>`, escaped(string(mark(s.Code))), escaped(s.Value))
		}
		b.WriteString("</datafield>")
	}
	b.WriteString("</record>\n")
	return b.Bytes()
}

func escaped(text string) string {
	var out strings.Builder
	xml.EscapeText(&out, []byte(plain(text))) // a builder takes everything
	return out.String()
}
