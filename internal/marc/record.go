package marc

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Record is a record read from a file or to be written to one.
type Record struct {
	Leader string // 24 characters
	Fields []Field
	// Replaced reports whether U+FFFD stands in the place of an unreadable character.
	Replaced bool
}

// Field is a control field with a value, or a data field with subfields.
type Field struct {
	Tag        string
	Value      string // of a control field
	Ind1, Ind2 byte
	Subfields  []Subfield
}

// Subfield is one of the values of a data field.
type Subfield struct {
	Code  byte
	Value string
}

const leaderLength = 24

// IsControl reports whether fields with the tag have a value and no subfields.
func IsControl(tag string) bool { return strings.HasPrefix(tag, "00") }

// isTag reports whether a text can name a field.
func isTag(tag string) bool {
	for _, c := range []byte(tag) {
		if !(c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z') {
			return false
		}
	}
	return len(tag) == 3
}

// add adds a field, unless its tag is invalid.
func (r *Record) add(f Field) {
	if isTag(f.Tag) {
		r.Fields = append(r.Fields, f)
	}
}

// LeaderAt returns the character at a position of the leader, a blank if it has none.
func (r Record) LeaderAt(i int) byte {
	if i < len(r.Leader) {
		return r.Leader[i]
	}
	return ' '
}

// All returns the fields with one of some tags, in the order of the record.
func (r Record) All(tags ...string) (found []Field) {
	for _, f := range r.Fields {
		for _, tag := range tags {
			if f.Tag == tag {
				found = append(found, f)
			}
		}
	}
	return found
}

// Control returns the value of the first control field with the tag, "" if there is none.
func (r Record) Control(tag string) string {
	for _, f := range r.Fields {
		if f.Tag == tag {
			return f.Value
		}
	}
	return ""
}

// First returns the first value with a code, "" if there is none.
func (f Field) First(code byte) string {
	for _, s := range f.Subfields {
		if s.Code == code {
			return s.Value
		}
	}
	return ""
}

// Has reports whether there is a value with a code.
func (f Field) Has(code byte) bool {
	for _, s := range f.Subfields {
		if s.Code == code {
			return true
		}
	}
	return false
}

// replacement stands for unreadable text.
const replacement = "\uFFFD"

// unicodeText decodes text of a record declared as UTF-8.
func (r *Record) unicodeText(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), replacement)
	r.Replaced = r.Replaced || strings.Contains(text, replacement)
	return norm.NFC.String(text)
}

// marc8Text decodes text of a record not declared as UTF-8: MARC-8, or UTF-8 nevertheless.
// Text of MARC-8 is hardly ever valid UTF-8, and only MARC-8 has escape sequences.
func (r *Record) marc8Text(raw []byte) string {
	if !isASCII(raw) && utf8.Valid(raw) && bytes.IndexByte(raw, escape) < 0 {
		return r.unicodeText(raw)
	}
	text, replaced := decodeMARC8(raw)
	r.Replaced = r.Replaced || replaced
	return norm.NFC.String(text)
}

// fieldOf parses a field of a record. Text decodes its values.
func fieldOf(tag string, raw []byte, text func([]byte) string) Field {
	f := Field{Tag: tag}
	if IsControl(tag) {
		f.Value = text(raw)
		return f
	}
	parts := bytes.Split(raw, []byte{subfieldBegin})
	f.Ind1, f.Ind2 = indicator(parts[0], 0), indicator(parts[0], 1)
	for _, part := range parts[1:] {
		if code, value := codeOf(part); code != 0 {
			f.Subfields = append(f.Subfields, Subfield{code, text(value)})
		}
	}
	return f
}

// codeOf returns the code of a subfield and the value after it, 0 if there is no code. A code
// is a character of ASCII. Real files have others where programs took it for text: "á" was an
// "a", and an unreadable character stands before the code.
func codeOf(part []byte) (code byte, value []byte) {
	if len(part) == 0 || part[0] <= ' ' || part[0] == 0x7F {
		return 0, nil
	}
	if part[0] < utf8.RuneSelf {
		return part[0], part[1:]
	}
	letter, size := utf8.DecodeRune(part)
	if letter == utf8.RuneError && size == 1 {
		letter = rune(part[0]) // of ISO 8859-1
	}
	if plain := norm.NFKD.String(string(letter)); isCode(plain[0]) {
		return plain[0], part[size:]
	}
	if size < len(part) && isCode(part[size]) {
		return part[size], part[size+1:]
	}
	return 0, nil
}

// isCode reports whether a byte is one of the usual codes.
func isCode(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' }

func indicator(raw []byte, i int) byte {
	if i < len(raw) && raw[i] > ' ' && raw[i] < 0x7F {
		return raw[i]
	}
	return ' '
}
