package validation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problems collects all faults of a request, so that a person can correct it at once. Its methods
// check a value, and return it without white space at its ends.
type Problems []Detail

// Add adds a problem.
func (p *Problems) Add(d Detail) { *p = append(*p, d) }

// RequiredLine checks a line that must not be empty.
func (p *Problems) RequiredLine(field, value string, limit int) string {
	before := len(*p)
	value = p.Line(field, value, limit)
	if value == "" && len(*p) == before {
		p.Add(Required(field))
	}
	return value
}

// Line checks a text without control characters, of at most limit characters.
func (p *Problems) Line(field, value string, limit int) string {
	return p.clean(field, value, limit, unicode.IsControl)
}

// Text is Line for texts with line breaks and tabs.
func (p *Problems) Text(field, value string, limit int) string {
	return p.clean(field, value, limit, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

func (p *Problems) clean(field, value string, limit int, forbidden func(rune) bool) string {
	value = strings.TrimSpace(value)
	switch {
	case !utf8.ValidString(value):
		p.Add(Detail{Field: field, Code: CodeNotUTF8, Message: "is not valid UTF-8"})
	case strings.ContainsFunc(value, forbidden):
		p.Add(Detail{Field: field, Code: CodeControlCharacter, Message: "contains a control character"})
	case utf8.RuneCountInString(value) > limit:
		p.Add(TooLong(field, limit))
	}
	return value
}

// Within requires a number from least to limit.
func (p *Problems) Within(field string, n, least, limit int) {
	if n < least || n > limit {
		p.Add(OutOfRange(field, least, limit))
	}
}
