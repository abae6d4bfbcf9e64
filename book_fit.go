package library

import (
	"slices"
	"strings"

	"example.org/library/internal/validation"
)

// Fit makes fields fit that a stranger has written, who knows nothing of our rules: texts
// and lists are cut to what fits, and what cannot be is left out. It returns the names of the
// fields of which something is gone; white space and a subject that is there twice are
// nothing. A book without a title stays one.
func (f *BookFields) Fit() (changed []string) {
	for _, field := range BookFieldTable {
		wrong := field.normalize(f)
		if len(wrong) == 0 || wrong[0].Code == validation.CodeRequired && wrong[0].Field == field.Name {
			continue
		}
		changed = append(changed, field.Name)
		for range 3 { // one mistake may hide another
			field.cut(f, wrong)
			wrong = field.normalize(f)
		}
		if len(wrong) > 0 {
			field.Set(f, &BookFields{})
		}
	}
	return changed
}

// normalize puts the value of the field into the form in which it is kept, and is what is
// wrong with it.
func (field BookField) normalize(f *BookFields) []Detail {
	var bad problems
	field.check(&bad, f)
	return bad.Problems
}

// cut cuts a text, or a list or its texts, to the first limit that is named. Nothing of what
// is cut off stays in memory: the rest may be kept for long.
func (field BookField) cut(f *BookFields, wrong []Detail) {
	for _, d := range wrong {
		switch {
		case field.List != nil && d.Code == validation.CodeTooMany:
			list := field.List(f)
			*list = slices.Clone((*list)[:min(len(*list), d.Limit)])
			return
		case field.List != nil && d.Code == validation.CodeTooLong:
			for i, text := range *field.List(f) {
				(*field.List(f))[i] = firstOf(text, d.Limit)
			}
			return
		case field.Text != nil && d.Code == validation.CodeTooLong:
			*field.Text(f) = firstOf(*field.Text(f), d.Limit)
			return
		}
	}
}

// firstOf is the first characters of a text.
func firstOf(text string, characters int) string {
	text = strings.TrimSpace(text)
	for i := range text {
		if characters == 0 {
			return strings.Clone(strings.TrimSpace(text[:i]))
		}
		characters--
	}
	return text
}
