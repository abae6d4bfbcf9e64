package sqlstore

import (
	"database/sql"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

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
	authors, err := engine.ParseList[string](r.authors)
	return library.BookRef{ID: r.id.String, Title: r.title.String, Authors: authors}, err
}
