package terminal

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Wrap breaks the lines of a text between words, so that each fits into so many
// columns. A word that is too long alone is broken, too.
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
