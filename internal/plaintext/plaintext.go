// Package plaintext makes the texts of strangers harmless where they stand among our own: in a
// mail, in a header, in a line.
package plaintext

import "strings"

// IsControl reports whether a character is no text, but does something: control characters,
// those of Latin-1 too, and the separators of lines and paragraphs.
func IsControl(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029'
}

// OneLine is a text without line breaks and other control characters, with single spaces between its words.
func OneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool { return IsControl(r) || r == ' ' }), " ")
}
