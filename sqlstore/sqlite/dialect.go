package sqlite

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// dialect is the SQL of SQLite.
var dialect = &engine.Dialect{
	Name:        "sqlite",
	Goose:       goose.DialectSQLite3,
	Syntax:      syntax{},
	LastChange:  lastChange,
	ChangesFrom: changesFrom,
	Numbers:     `(SELECT key AS place, value FROM json_each($1)) AS n`,
	HasTable:    `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1)`,
	Diagnose:    diagnose,
	Unavailable: unavailable,
}

// syntax is the SQL of SQLite for questions.
type syntax struct{}

// List is a list of strings as a JSON array.
func (syntax) List(list []string) any {
	if len(list) == 0 {
		return "[]"
	}
	text, _ := json.Marshal(list) // strings always marshal
	return string(text)
}

// Invalidate adds a row to the changed books.
func (syntax) Invalidate(place string) string {
	return `INSERT INTO changed_books (books) VALUES (` + place + `)`
}

func (syntax) Among(place string) string { return `IN (SELECT value FROM json_each(` + place + `))` }

// The history of changes: what is committed is complete, and in the order of its numbers.
const (
	lastChange  = `SELECT 0, seq, mark FROM changes ORDER BY seq DESC LIMIT 1`
	changesFrom = `SELECT 0, seq, mark, kind, subject, borrowed, available, step, coalesce(person, '') FROM changes
		WHERE $1 = 0 AND seq >= $2 ORDER BY seq LIMIT $3`
)

// Values writes each row out. The same number of rows is the same text, and its statement is kept prepared.
func (syntax) Values(types []string, rows [][]any) (source string, args []any) {
	row := `(?` + strings.Repeat(`, ?`, len(types)-1) + `)`
	for _, r := range rows {
		args = append(args, r...)
	}
	return `VALUES ` + row + strings.Repeat(`, `+row, len(rows)-1), args
}

func (syntax) FindBooks(a *engine.Arguments, w engine.BookWords) string {
	var parts []string
	if len(w.Terms) > 0 {
		// The words of the authors are among the search words, so there is no need to name the column.
		parts = append(parts, ftsQuery(w.Terms))
	}
	if len(w.Authors) > 0 {
		parts = append(parts, "author_words : ("+ftsQuery(w.Authors)+")")
	}
	return `SELECT rowid AS seq FROM books_search WHERE books_search MATCH ` + a.Add(strings.Join(parts, " AND "))
}

func (syntax) FindWord(a *engine.Arguments, word string) string {
	return `SELECT rowid AS seq FROM books_search WHERE books_search MATCH ` + a.Add(`search_words : "`+word+`"`)
}

func (syntax) FindUsers(a *engine.Arguments, terms []library.Term) string {
	return `SELECT rowid AS seq FROM users_search WHERE users_search MATCH ` + a.Add(ftsQuery(terms))
}

// ftsQuery is a question in the language of FTS5.
func ftsQuery(terms []library.Term) string {
	return engine.SearchQuery(terms, func(word string) string { return `"` + word + `"*` }, " AND ", " OR ")
}

// BookConditions looks for the words in the columns themselves: FTS5 would collect all matches again for each book.
func (syntax) BookConditions(a *engine.Arguments, terms, authors []library.Term) []string {
	return append(engine.PrefixConditions(a, "b.search_words", terms), engine.PrefixConditions(a, "b.author_words", authors)...)
}

func (syntax) Each(table, alias, condition string) string {
	return ` CROSS JOIN ` + table + ` ` + alias + ` ON ` + condition
}

func (syntax) FirstOf(place, condition, order string, n int) string {
	return fmt.Sprintf(`SELECT f.seq FROM json_each(%s) AS k CROSS JOIN books AS f WHERE f.seq IN (
		SELECT seq FROM books WHERE %s ORDER BY %s LIMIT %d)`, place, condition, order, n)
}

func (syntax) Rows(columns []engine.RowColumn) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = `value ->> '` + c.Name + `' AS ` + c.Name
	}
	return `(SELECT ` + strings.Join(all, ", ") + ` FROM json_each($1)) AS r`
}
