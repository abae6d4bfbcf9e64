package sqlstore

import (
	"database/sql"
	"encoding/json"
	"strings"

	"example.org/library"
)

// What values look like in a column, beside those of package engine: a list of strings is
// a JSON array.

// joinWords makes the text of a column of words. Words have no spaces in them.
func joinWords(words []string) string { return strings.Join(words, " ") }

// formatList and parseList keep a list of strings as a JSON array.
func formatList[T ~string](list []T) string {
	if len(list) == 0 {
		return "[]"
	}
	b, _ := json.Marshal(list) // strings always marshal
	return string(b)
}

func parseList[T ~string](text []byte) ([]T, error) {
	if len(text) == 0 || string(text) == "[]" {
		return nil, nil
	}
	list, ok := splitList[T](string(text))
	if ok {
		return list, nil
	}
	err := json.Unmarshal(text, &list)
	return list, err
}

// splitList reads a list as json.Marshal writes it, if nothing in it is escaped. That is the usual case, and lists of
// thousands of books may be read for one answer.
func splitList[T ~string](text string) (list []T, ok bool) {
	inner, begins := strings.CutPrefix(text, `["`)
	inner, ends := strings.CutSuffix(inner, `"]`)
	const between = `","`
	n := strings.Count(inner, between)
	if !begins || !ends || strings.Contains(inner, `\`) || strings.Count(inner, `"`) != 2*n {
		return nil, false
	}
	list = make([]T, 0, n+1)
	for value := range strings.SplitSeq(inner, between) {
		list = append(list, T(value))
	}
	return list, true
}

// personRow is the id, first_name, last_name, group_name and version of a user, all NULL
// where there is none.
type personRow struct{ id, first, last, group, version sql.NullString }

func (r *personRow) dest() []any { return []any{&r.id, &r.first, &r.last, &r.group, &r.version} }

func (r *personRow) person() library.Person {
	return library.Person{ID: r.id.String, FirstName: r.first.String, LastName: r.last.String, Group: r.group.String, Version: r.version.String}
}

// refRow is a book as a loan or a hold remembers it.
type refRow struct {
	id      sql.NullString
	title   sql.NullString
	authors []byte
}

func (r *refRow) dest() []any { return []any{&r.id, &r.title, &r.authors} }

func (r *refRow) ref() (library.BookRef, error) {
	authors, err := parseList[string](r.authors)
	return library.BookRef{ID: r.id.String, Title: r.title.String, Authors: authors}, err
}
