package library

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// problems collects everything that is wrong with a request, so that a person
// can correct it at once.
type problems []Detail

func (p *problems) add(d Detail) { *p = append(*p, d) }

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return InvalidFields(p...)
}

// details are the problems in an error about fields, none in any other.
func details(err error) []Detail {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Invalid {
		return e.Details
	}
	return nil
}

// requiredLine is a line that must not be empty.
func (p *problems) requiredLine(field, value string, limit int) string {
	before := len(*p)
	value = p.line(field, value, limit)
	if value == "" && len(*p) == before {
		p.add(Required(field))
	}
	return value
}

// line is text without control characters.
func (p *problems) line(field, value string, limit int) string {
	return p.clean(field, value, limit, unicode.IsControl)
}

// text is text in which line breaks and tabs are welcome.
func (p *problems) text(field, value string, limit int) string {
	return p.clean(field, value, limit, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

func (p *problems) clean(field, value string, limit int, forbidden func(rune) bool) string {
	value = strings.TrimSpace(value)
	switch {
	case !utf8.ValidString(value):
		p.add(Detail{Field: field, Code: CodeNotUTF8, Message: "is not valid UTF-8"})
	case strings.ContainsFunc(value, forbidden):
		p.add(Detail{Field: field, Code: CodeControlCharacter, Message: "contains a control character"})
	case utf8.RuneCountInString(value) > limit:
		p.add(TooLong(field, limit))
	}
	return value
}

// within requires a number from least to limit.
func (p *problems) within(field string, n, least, limit int) {
	if n < least || n > limit {
		p.add(OutOfRange(field, least, limit))
	}
}

func (p *problems) authors(authors []string) []string {
	if len(authors) > MaxAuthors {
		p.add(tooMany("authors", MaxAuthors))
		return nil
	}
	var out []string
	for i, author := range authors {
		out = append(out, p.requiredLine("authors["+strconv.Itoa(i)+"]", author, MaxAuthor))
	}
	return out
}

func (p *problems) email(field, value string) string {
	before := len(*p)
	value = p.requiredLine(field, value, MaxEmail)
	if len(*p) > before {
		return value
	}
	local, domain, _ := strings.Cut(value, "@")
	if local == "" || domain == "" || strings.Contains(domain, "@") || strings.ContainsFunc(value, unicode.IsSpace) {
		p.add(Detail{Field: field, Code: CodeNotEmail, Message: "is not an e-mail address"})
	}
	return value
}

func (p *problems) roles(field string, roles []Role) []Role {
	for i, r := range roles {
		if !slices.Contains(Roles, r) {
			p.add(unknownRole(field + "[" + strconv.Itoa(i) + "]"))
		}
	}
	return sortRoles(roles)
}
