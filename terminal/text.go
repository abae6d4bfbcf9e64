package terminal

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/mattn/go-runewidth"
)

// Clean makes untrusted text harmless. Each control character becomes a replacement character,
// because a terminal would obey it instead of showing it. Line breaks and tabs become spaces.
func Clean(text string) string { return strings.Map(cleanRune, text) }

// CleanText cleans text of several lines. Line breaks and tabs stay.
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

// CleanJSON cleans JSON as CleanText does, but without changing its meaning: in a
// string a character can be written as a number.
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

// turnsText reports whether a character changes the direction of the text after it:
// with such characters, one text can look like another.
func turnsText(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069
}

// Wrap breaks the lines of a text between words to fit into a number of columns. It
// also breaks a word longer than a line.
func Wrap(text string, width int) string {
	width = max(width, 1)
	var out strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		wrapLine(&out, line, width)
	}
	return out.String()
}

// Fit breaks the lines of a message between words to fit into the width of the
// stream, if it is a terminal.
func Fit(stream io.Writer, lookup func(string) (string, bool), text string) string {
	file, is := asTerminal(stream)
	if !is {
		return text
	}
	return Hang(text, screenWidth(file, lookup))
}

// Hang breaks the lines of a text between words, and indents each continuation like
// its line. Even the longest word stays whole, so an address can be copied.
func Hang(text string, width int) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		hangLine(&out, line, width)
	}
	return out.String()
}

func hangLine(out *strings.Builder, line string, width int) {
	rest := strings.TrimLeft(line, " ")
	indent := line[:len(line)-len(rest)]
	out.WriteString(indent)
	used := len(indent)
	for begun := false; rest != ""; begun = true {
		space := rest[:len(rest)-len(strings.TrimLeft(rest, " "))]
		word, _, _ := strings.Cut(rest[len(space):], " ")
		need := len(space) + runewidth.StringWidth(strings.TrimSuffix(word, "\n"))
		if begun && word != "" && used+need > width {
			out.WriteString("\n" + indent + word)
			used = len(indent) + need - len(space)
		} else {
			out.WriteString(space + word)
			used += need
		}
		rest = rest[len(space)+len(word):]
	}
}

func wrapLine(out *strings.Builder, line string, width int) {
	used := 0
	for word := range strings.FieldsSeq(line) {
		if need := runewidth.StringWidth(word); used > 0 && used+1+need > width {
			out.WriteByte('\n')
			used = 0
		}
		if used > 0 {
			out.WriteByte(' ')
			used++
		}
		for runewidth.StringWidth(word) > width {
			head := runewidth.Truncate(word, width, "")
			if head == "" {
				break // one character wider than the screen
			}
			out.WriteString(head)
			out.WriteByte('\n')
			word = word[len(head):]
		}
		out.WriteString(word)
		used += runewidth.StringWidth(word)
	}
}
