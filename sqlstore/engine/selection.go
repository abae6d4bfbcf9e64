package engine

import (
	"strconv"
	"strings"

	"example.org/library"
)

// Selection is the middle of a SELECT: which records, found how. The first table in From is the first one in both
// databases; CROSS JOIN makes SQLite keep to it.
type Selection struct {
	With  string
	From  string
	Where []string
}

// Text is the whole statement.
func (s Selection) Text(columns, tail string) string {
	text := s.With + `SELECT ` + columns + ` FROM ` + s.From
	if len(s.Where) > 0 {
		text += ` WHERE ` + strings.Join(s.Where, ` AND `)
	}
	return text + tail
}

// Ordering is an order of records, by columns with the identifier at their end, so
// no two records have the same place. An index leads through it.
type Ordering struct {
	Columns    []string
	Descending bool
}

// Page limits a selection to the records after a place and returns the rest of the statement.
func (o Ordering) Page(a *Arguments, sel *Selection, after []any, limit int) string {
	if after != nil {
		sel.Where = append(sel.Where, o.row()+o.pick(` > `, ` < `)+places(a, after))
	}
	direction := o.pick(``, ` DESC`)
	tail := ` ORDER BY ` + strings.Join(o.Columns, direction+`, `) + direction
	if limit > 0 {
		tail += ` LIMIT ` + a.Add(limit)
	}
	return tail
}

// UpTo returns the condition for records not after a place.
func (o Ordering) UpTo(a *Arguments, end []any) string {
	return o.row() + o.pick(` <= `, ` >= `) + places(a, end)
}

func (o Ordering) row() string { return `(` + strings.Join(o.Columns, `, `) + `)` }

func (o Ordering) pick(ascending, descending string) string {
	if o.Descending {
		return descending
	}
	return ascending
}

func places(a *Arguments, values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = a.Add(v)
	}
	return `(` + strings.Join(names, `, `) + `)`
}

// Arguments collects the values of a statement while its text is written.
type Arguments []any

// Add appends a value and returns its place in the text.
func (a *Arguments) Add(value any) string {
	*a = append(*a, value)
	return "$" + strconv.Itoa(len(*a))
}

// BookWords are the words of a search for books.
type BookWords struct{ Terms, Authors []library.Term }

// SearchQuery is terms in the language of a search index. Words are letters and
// digits alone, so nothing in them can be taken for the index's own syntax.
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
