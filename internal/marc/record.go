package marc

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Record is a record as it was read, or is to be written.
type Record struct {
	Leader string // 24 characters
	Fields []Field
	// Replaced says that a character could not be read, and that U+FFFD stands in its place.
	Replaced bool
}

// Field is a control field, which has a value, or a data field, which has subfields.
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

// add adds a field, unless its tag is none.
func (r *Record) add(f Field) {
	if isTag(f.Tag) {
		r.Fields = append(r.Fields, f)
	}
}

// LeaderAt is the character at a position of the leader, a blank if it has none.
func (r Record) LeaderAt(i int) byte {
	if i < len(r.Leader) {
		return r.Leader[i]
	}
	return ' '
}

// All are the fields with one of some tags, in the order of the record.
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

// Control is the value of the first control field with the tag, "" if there is none.
func (r Record) Control(tag string) string {
	for _, f := range r.Fields {
		if f.Tag == tag {
			return f.Value
		}
	}
	return ""
}

// First is the first value with a code, "" if there is none.
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

// replacement stands for what cannot be read.
const replacement = "\uFFFD"

// unicodeText is text that says of itself that it is UTF-8.
func (r *Record) unicodeText(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), replacement)
	r.Replaced = r.Replaced || strings.Contains(text, replacement)
	return norm.NFC.String(text)
}

// marc8Text is text in the character sets of MARC-8.
func (r *Record) marc8Text(raw []byte) string {
	text, replaced := decodeMARC8(raw)
	r.Replaced = r.Replaced || replaced
	return norm.NFC.String(text)
}
