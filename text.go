package library

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// requiredLine is a line that must not be empty.
func (f *faults) requiredLine(field, value string, limit int) string {
	before := len(*f)
	value = f.line(field, value, limit)
	if value == "" && len(*f) == before {
		f.add(Detail{Field: field, Code: CodeRequired, Message: "is required"})
	}
	return value
}

// line is text without control characters.
func (f *faults) line(field, value string, limit int) string {
	return f.clean(field, value, limit, unicode.IsControl)
}

// text is text in which line breaks and tabs are welcome.
func (f *faults) text(field, value string, limit int) string {
	return f.clean(field, value, limit, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

func (f *faults) clean(field, value string, limit int, forbidden func(rune) bool) string {
	value = strings.TrimSpace(value)
	switch {
	case !utf8.ValidString(value):
		f.add(Detail{Field: field, Code: CodeNotUTF8, Message: "is not valid UTF-8"})
	case strings.ContainsFunc(value, forbidden):
		f.add(Detail{Field: field, Code: CodeControlCharacter, Message: "contains a control character"})
	case utf8.RuneCountInString(value) > limit:
		f.add(TooLong(field, limit))
	}
	return value
}

func (f *faults) authors(authors []string) []string {
	if len(authors) > MaxAuthors {
		f.add(tooMany("authors", MaxAuthors))
		return nil
	}
	var out []string
	for i, author := range authors {
		out = append(out, f.requiredLine("authors["+strconv.Itoa(i)+"]", author, MaxAuthor))
	}
	return out
}

func (f *faults) email(field, value string) string {
	before := len(*f)
	value = f.requiredLine(field, value, MaxEmail)
	if len(*f) > before {
		return value
	}
	local, domain, _ := strings.Cut(value, "@")
	if local == "" || domain == "" || strings.Contains(domain, "@") || strings.ContainsFunc(value, unicode.IsSpace) {
		f.add(Detail{Field: field, Code: CodeNotEmail, Message: "is not an e-mail address"})
	}
	return value
}

func (f *faults) roles(field string, roles []Role) []Role {
	for i, r := range roles {
		if !slices.Contains(Roles, r) {
			f.add(unknownRole(field + "[" + strconv.Itoa(i) + "]"))
		}
	}
	return sortRoles(roles)
}

// EmailKey is the form in which e-mail addresses are compared: without regard
// to ASCII case, and to nothing else. Unicode folding would let a look-alike
// such as the Kelvin sign pass for a letter.
func EmailKey(email string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, email)
}
