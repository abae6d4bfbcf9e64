package sqlstore

import (
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"

	"example.org/library"
)

func amongSQLite(place string) string { return `IN (SELECT value FROM json_each(` + place + `))` }

func sqliteDialect() dialect {
	return dialect{
		name:           "sqlite",
		goose:          goose.DialectSQLite3,
		findBooks:      findBooksSQLite,
		findUsers:      findUsersSQLite,
		bookConditions: bookConditionsSQLite,
		lastChange:     lastChangeSQLite,
		changesFrom:    changesFromSQLite,
		editMark:       editMarkSQLite,
		editsAfter:     editsAfterSQLite,
		list:           func(list []string) any { return formatList(list) },
		among:          amongSQLite,
		eachStock:      ` CROSS JOIN stock s`,
		firstOf:        firstOfSQLite,
		numbers:        `(SELECT key AS place, value FROM json_each($1)) AS n`,
		bookRows: `(SELECT value ->> 'id' AS id, value ->> 'isbn' AS isbn, value ->> 'isbn_key' AS isbn_key,
			value ->> 'title' AS title, value ->> 'title_key' AS title_key, value ->> 'description' AS description,
			value ->> 'authors' AS authors, value ->> 'search_words' AS search_words,
			value ->> 'author_words' AS author_words, value ->> 'version' AS version,
			value ->> 'created_at' AS created_at, value ->> 'first_copies' AS first_copies FROM json_each($1)) AS r`,
		labelRows: `(SELECT value ->> 'book_id' AS book_id, value ->> 'place' AS place,
			value ->> 'barcode' AS barcode, value ->> 'shelf' AS shelf FROM json_each($1)) AS r`,
		hasTable:   `SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = $1)`,
		isReadOnly: `false`,
		// The number is nobody's, and stays what it is. It is in the header of the
		// file, which is written nevertheless.
		probe:    `PRAGMA user_version = 0`,
		diagnose: diagnoseSQLite,
	}
}

// The history of changes on SQLite: what is committed is complete, and in the
// order of its numbers.
const (
	lastChangeSQLite  = `SELECT 0, seq, mark FROM changes ORDER BY seq DESC LIMIT 1`
	changesFromSQLite = `SELECT 0, seq, mark, kind, subject, borrowed, available, coalesce(person, '') FROM changes
		WHERE $1 = 0 AND seq >= $2 ORDER BY seq LIMIT $3`
)

// The edits of the catalogue on SQLite: what is committed is in the order of its
// numbers, so the newest row stands for all before it.
const editMarkSQLite = `coalesce((SELECT seq || ' ' || mark FROM book_edits ORDER BY seq DESC LIMIT 1), '')`

func editsAfterSQLite(place string) (isAfter, areComplete string) {
	seq := `CAST(` + place + ` AS INTEGER)` // which reads the number at the beginning
	return `e.seq > ` + seq, `EXISTS (SELECT 1 FROM book_edits WHERE seq = ` + seq + ` AND seq || ' ' || mark = ` + place + `)`
}

func findBooksSQLite(a *arguments, q bookQuery) string {
	var parts []string
	if len(q.Terms) > 0 {
		// The words of the authors are among the search words, so there is no
		// need to name the column.
		parts = append(parts, ftsQuery(q.Terms))
	}
	if len(q.Authors) > 0 {
		parts = append(parts, "author_words : ("+ftsQuery(q.Authors)+")")
	}
	found := `books_search MATCH ` + a.add(strings.Join(parts, " AND "))
	if len(q.common) == 0 {
		return `SELECT rowid AS seq FROM books_search WHERE ` + found
	}
	return `SELECT b.seq FROM books_search s CROSS JOIN books b WHERE s.` + found + ` AND b.seq = s.rowid AND ` +
		strings.Join(prefixConditions(a, "b.search_words", q.common), " AND ")
}

func findUsersSQLite(a *arguments, terms []library.Term) string {
	return `SELECT rowid AS seq FROM users_search WHERE users_search MATCH ` + a.add(ftsQuery(terms))
}

// ftsQuery is a question in the language of FTS5.
func ftsQuery(terms []library.Term) string {
	return searchQuery(terms, func(word string) string { return `"` + word + `"*` }, " AND ", " OR ")
}

// bookConditionsSQLite looks for the words in the columns themselves: FTS5 would
// collect all matches again for each book.
func bookConditionsSQLite(a *arguments, terms, authors []library.Term) []string {
	return append(prefixConditions(a, "b.search_words", terms), prefixConditions(a, "b.author_words", authors)...)
}

func firstOfSQLite(place, condition, order string, n int) string {
	return fmt.Sprintf(`SELECT f.seq FROM json_each(%s) AS k CROSS JOIN books AS f WHERE f.seq IN (
		SELECT seq FROM books WHERE %s ORDER BY %s LIMIT %d)`, place, condition, order, n)
}
