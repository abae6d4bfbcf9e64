package terminal

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Wrap breaks the lines of a text between words, so that each fits into a number of
// columns. A word that is longer than a line is broken, too.
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

// Fit breaks the lines of a message between words if the stream is a terminal, so
// that they fit into its width.
func Fit(stream io.Writer, lookup func(string) (string, bool), text string) string {
	file, is := asTerminal(stream)
	if !is {
		return text
	}
	return Hang(text, screenWidth(file, lookup))
}

// Hang breaks the lines of a text between words. What is continued is indented as
// its line is. A word that is too long stays whole, so that an address can be copied.
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
				break // one character that is wider than the screen
			}
			out.WriteString(head)
			out.WriteByte('\n')
			word = word[len(head):]
		}
		out.WriteString(word)
		used += runewidth.StringWidth(word)
	}
}
