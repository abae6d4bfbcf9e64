package sqlstore

import (
	"bytes"
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
	if inner, ok := bytes.CutPrefix(text, []byte(`["`)); ok && !bytes.Contains(inner, []byte(`\`)) {
		if inner, ok = bytes.CutSuffix(inner, []byte(`"]`)); ok && !bytes.Contains(inner, []byte(`"`)) {
			return []T{T(inner)}, nil // the usual case, which need not be parsed
		}
	}
	var list []T
	err := json.Unmarshal(text, &list)
	return list, err
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
