package library

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"example.org/library/internal/validation"
)

// Detail is a fault of one field of a request.
type Detail = validation.Detail

// problems collects the faults of a record. Its methods check values that several records share.
type problems struct{ validation.Problems }

func (p problems) err() error {
	if len(p.Problems) == 0 {
		return nil
	}
	return InvalidFields(p.Problems...)
}

func details(err error) []Detail {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Invalid {
		return e.Details
	}
	return nil
}

func (p *problems) authors(authors []string) []string {
	if len(authors) > MaxAuthors {
		p.Add(validation.TooMany("authors", MaxAuthors))
		return authors
	}
	var out []string
	for i, author := range authors {
		out = append(out, p.RequiredLine(indexed("authors", i), author, MaxAuthor))
	}
	return out
}

// language returns the stored code of a language.
func (p *problems) language(field, value string) string {
	value = strings.TrimSpace(value)
	code := LanguageCode(value)
	if value != "" && code == "" {
		p.Add(Detail{Field: field, Code: validation.CodeUnknownValue, Message: "is not a language of ISO 639, such as en or deu"})
	}
	return code
}

// subjects leaves out blank and repeated subjects.
func (p *problems) subjects(subjects []string) (out []string) {
	seen := make(map[string]bool)
	for i, subject := range subjects {
		subject = p.Line(indexed("subjects", i), subject, MaxSubject)
		if key := SubjectKey(subject); subject != "" && !seen[key] {
			seen[key] = true
			out = append(out, subject)
		}
	}
	if len(out) > MaxSubjects {
		p.Add(validation.TooMany("subjects", MaxSubjects))
	}
	return out
}

func (p *problems) email(field, value string) string {
	before := len(p.Problems)
	value = p.RequiredLine(field, value, MaxEmail)
	if len(p.Problems) > before {
		return value
	}
	local, domain, _ := strings.Cut(value, "@")
	if local == "" || domain == "" || strings.Contains(domain, "@") || strings.ContainsFunc(value, unicode.IsSpace) {
		p.Add(Detail{Field: field, Code: validation.CodeNotEmail, Message: "is not an e-mail address"})
	}
	return value
}

func (p *problems) roles(field string, roles []Role) []Role {
	for i, r := range roles {
		if !slices.Contains(Roles, r) {
			p.Add(validation.UnknownValue(indexed(field, i), Roles))
		}
	}
	return sortRoles(roles)
}
