package sqlstore

import (
	"strconv"
	"strings"

	"example.org/library"
)

// arguments collects the values of a statement while its text is written.
type arguments []any

// add appends a value and returns its place in the text.
func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// searchQuery is terms in the language of a search index. Words are letters and
// digits alone, so that nothing in them can be taken for the index's own syntax.
func searchQuery(terms []library.Term, prefix func(string) string, and, or string) string {
	pieces := make([]string, len(terms))
	for i, t := range terms {
		words := make([]string, len(t.Words))
		for j, w := range t.Words {
			words[j] = prefix(w)
		}
		pieces[i] = strings.Join(words, and)
		if t.Number != "" {
			pieces[i] = "((" + pieces[i] + ")" + or + prefix(t.Number) + ")"
		}
	}
	return strings.Join(pieces, and)
}

// prefixConditions look for the terms in a column of words, without an index.
func prefixConditions(a *arguments, column string, terms []library.Term) []string {
	begins := func(word string) string { return `' ' || ` + column + ` LIKE ` + a.add("% "+word+"%") }
	var conditions []string
	for _, t := range terms {
		words := make([]string, len(t.Words))
		for i, w := range t.Words {
			words[i] = begins(w)
		}
		condition := strings.Join(words, " AND ")
		if t.Number != "" {
			condition = "(" + condition + " OR " + begins(t.Number) + ")"
		}
		conditions = append(conditions, condition)
	}
	return conditions
}
