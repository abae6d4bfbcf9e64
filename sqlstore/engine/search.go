package engine

import (
	"strconv"
	"strings"

	"example.org/library"
)

// Arguments collects the values of a statement while its text is written.
type Arguments []any

// Add appends a value and returns its place in the text.
func (a *Arguments) Add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// BookWords are the words that books are searched for. Common are those that should not
// be looked up in the search index, because many books have them.
type BookWords struct{ Terms, Authors, Common []library.Term }

// SearchQuery is terms in the language of a search index. Words are letters and
// digits alone, so that nothing in them can be taken for the index's own syntax.
func SearchQuery(terms []library.Term, prefix func(string) string, and, or string) string {
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

// PrefixConditions look for the terms in a column of words, without an index.
func PrefixConditions(a *Arguments, column string, terms []library.Term) []string {
	begins := func(word string) string { return `' ' || ` + column + ` LIKE ` + a.Add("% "+word+"%") }
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
