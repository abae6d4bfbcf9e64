package bookfile

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// separators are the marks of ISBD between two values, at the end of the first.
var separators = []string{" /", " :", " ;", " =", ","}

// withoutPunctuation cuts the punctuation of ISBD at the end of a value.
func withoutPunctuation(text string) string {
	for {
		cut := text
		for _, mark := range separators {
			cut = strings.TrimRightFunc(strings.TrimSuffix(cut, mark), unicode.IsSpace)
		}
		if cut == text {
			break
		}
		text = cut
	}
	if before, ends := strings.CutSuffix(text, "."); ends && !isInitial(before) && !strings.HasSuffix(before, ".") {
		return strings.TrimRightFunc(before, unicode.IsSpace)
	}
	return text
}

// withoutComma cuts the comma between a name and the next value of a record.
func withoutComma(name string) string { return strings.TrimRight(name, ", ") }

// isInitial reports whether a text ends with a single letter. A full stop after it then belongs to the text.
func isInitial(text string) bool {
	letters := 0
	for text != "" && letters < 2 {
		r, size := utf8.DecodeLastRuneInString(text)
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		if unicode.IsLetter(r) {
			letters++
		}
		text = text[:len(text)-size]
	}
	return letters == 1
}

// lineBreak matches the end of a line, and the spaces around it in files made for people to look at.
var lineBreak = regexp.MustCompile(`[ \t]*[\r\n]\s*`)

// oneLine returns a text without ends of lines and other control characters.
func oneLine(text string) string {
	text = strings.Map(withoutControls, lineBreak.ReplaceAllString(text, " "))
	return strings.TrimSpace(strings.ReplaceAll(text, "\t", " "))
}

func withoutControls(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t' {
		return -1
	}
	return r
}
