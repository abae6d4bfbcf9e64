package terminal

import (
	"fmt"
	"strings"
	"unicode"
)

// Clean makes untrusted text harmless: control characters, which a terminal would
// obey instead of showing them, become a replacement character. Line breaks and tabs become
// spaces.
func Clean(text string) string { return strings.Map(cleanRune, text) }

// CleanText is Clean for text of several lines.
func CleanText(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\r' {
			return -1
		}
		return cleanRune(r)
	}, text)
}

// CleanJSON is CleanText for JSON, which stays what it is: in a string a
// character can be written as a number.
func CleanJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r != '\n' && r != '\t' && cleanRune(r) != r {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func cleanRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return ' '
	case unicode.IsControl(r), turnsText(r):
		return unicode.ReplacementChar
	}
	return r
}

// turnsText reports whether a character changes the direction of the text that
// follows: with those, one text can look like another.
func turnsText(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}
