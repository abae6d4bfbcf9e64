package library

import (
	"strings"

	"example.org/library/internal/validation"
)

// Fit makes fields fit that a stranger has written, who knows nothing of our rules: texts
// and lists are cut to what fits, and what cannot be is left out. It returns the names of the
// fields that it has changed. A book without a title stays one.
func (f *BookFields) Fit() (changed []string) {
	for _, field := range BookFieldTable {
		if len(field.wrong(f)) == 0 || field.onlyRequired(f) {
			continue
		}
		for range 3 { // one mistake may hide another
			field.cut(f, field.wrong(f))
		}
		if len(field.wrong(f)) > 0 {
			field.Set(f, &BookFields{})
		}
		changed = append(changed, field.Name)
	}
	return changed
}

// wrong is what is wrong with the value of the field.
func (field BookField) wrong(f *BookFields) []Detail {
	var bad problems
	given := *f
	field.check(&bad, &given)
	return bad.Problems
}

// onlyRequired reports whether nothing is wrong but that there is no value.
func (field BookField) onlyRequired(f *BookFields) bool {
	wrong := field.wrong(f)
	return len(wrong) > 0 && wrong[0].Code == validation.CodeRequired && wrong[0].Field == field.Name
}

// cut cuts a text, or a list and its texts, to the limits that are named.
func (field BookField) cut(f *BookFields, wrong []Detail) {
	for _, d := range wrong {
		switch {
		case field.List != nil && d.Code == validation.CodeTooMany:
			list := field.List(f)
			*list = (*list)[:min(len(*list), d.Limit)]
		case field.List != nil && d.Code == validation.CodeTooLong:
			var list []string
			for _, text := range *field.List(f) {
				list = append(list, firstOf(text, d.Limit))
			}
			*field.List(f) = list
		case field.Text != nil && d.Code == validation.CodeTooLong:
			*field.Text(f) = firstOf(*field.Text(f), d.Limit)
		}
	}
}

// firstOf is the first characters of a text.
func firstOf(text string, characters int) string {
	text = strings.TrimSpace(text)
	for i := range text {
		if characters == 0 {
			return strings.TrimSpace(text[:i])
		}
		characters--
	}
	return text
}
