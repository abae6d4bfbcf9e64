package postgres

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"example.org/library"
	"example.org/library/sqlstore/engine"
)

// dialect is the SQL of PostgreSQL.
var dialect = &engine.Dialect{
	Name:                "postgres",
	Goose:               goose.DialectPostgres,
	Syntax:              syntax{},
	ForUpdate:           ` FOR UPDATE`,
	ForUpdateSkipLocked: ` FOR UPDATE SKIP LOCKED`,
	ForNoKeyUpdate:      ` FOR NO KEY UPDATE`,
	ForShare:            ` FOR SHARE`,
	LastChange:          lastChange,
	ChangesFrom:         changesFrom,
	Numbers:             `(SELECT ordinality AS place, value::bigint AS value FROM json_array_elements_text($1::text::json) WITH ORDINALITY) AS n`,
	HasTable:            `SELECT to_regclass($1) IS NOT NULL`,
	// Planned each time with its values. A plan for any values at all does not know whether a word is rare.
	PlanOptions: []any{pgx.QueryExecModeCacheDescribe},
	Diagnose:    diagnose,
	Unavailable: unavailable,
}

// syntax is the SQL of PostgreSQL for questions.
type syntax struct{}

// The history of changes: it is complete below the oldest running transaction. See the migration.
const (
	settled    = `major < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	lastChange = `SELECT major, seq, mark FROM changes
		WHERE ` + settled + ` ORDER BY major DESC, seq DESC LIMIT 1`
	changesFrom = `SELECT major, seq, mark, kind, subject, borrowed, available, step, coalesce(person, '') FROM changes
		WHERE (major, seq) >= ($1, $2) AND ` + settled + ` ORDER BY major, seq LIMIT $3`

	// A history from a dump of another cluster has the numbers of its transactions. Numbers ahead of this cluster would
	// be reported as new some day.
	dropForeignChanges = `DELETE FROM changes WHERE major >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
)

// Values sends each column as an array, so the text is the same for any number of rows. A few rows are values,
// which take PostgreSQL less time.
func (syntax) Values(types []string, rows [][]any) (source string, args []any) {
	if len(rows) < 4 {
		var a engine.Arguments
		lines := make([]string, len(rows))
		for i, row := range rows {
			places := make([]string, len(row))
			for j, value := range row {
				places[j] = a.Add(value) + `::` + types[j]
			}
			lines[i] = `(` + strings.Join(places, `, `) + `)`
		}
		return `VALUES ` + strings.Join(lines, `, `), a
	}
	arrays := make([]string, len(types))
	for i, t := range types {
		column := make([]any, len(rows))
		for j, row := range rows {
			column[j] = row[i]
		}
		arrays[i], args = fmt.Sprintf(`$%d::%s[]`, i+1, t), append(args, column)
	}
	return `SELECT * FROM unnest(` + strings.Join(arrays, `, `) + `)`, args
}

func (s syntax) FindBooks(a *engine.Arguments, w engine.BookWords) string {
	return `SELECT b.seq FROM books b WHERE ` + strings.Join(s.BookConditions(a, w.Terms, w.Authors), " AND ")
}

func (syntax) FindWord(a *engine.Arguments, word string) string {
	return `SELECT seq FROM books WHERE search @@ ` + a.Add(`'`+word+`'`) + `::tsquery`
}

func (syntax) FindUsers(a *engine.Arguments, terms []library.Term) string {
	return `SELECT seq FROM users WHERE search @@ ` + a.Add(tsQuery(terms, beginning)) + `::tsquery`
}

// tsQuery is a question in the language of tsquery.
func tsQuery(terms []library.Term, word func(string) string) string {
	return engine.SearchQuery(terms, word, " & ", " | ")
}

func beginning(word string) string { return `'` + word + `':*` }

// bookWord is what finds a beginning of words in books. A single letter has an entry of its own in their indexes.
func bookWord(word string) string {
	if utf8.RuneCountInString(word) == 1 {
		return `'-` + word + `'`
	}
	return beginning(word)
}

// BookConditions is what PostgreSQL can estimate best.
func (syntax) BookConditions(a *engine.Arguments, terms, authors []library.Term) []string {
	var conditions []string
	if len(terms) > 0 {
		conditions = append(conditions, `b.search @@ `+a.Add(tsQuery(terms, bookWord))+`::tsquery`)
	}
	if len(authors) > 0 {
		conditions = append(conditions, `b.author_search @@ `+a.Add(tsQuery(authors, bookWord))+`::tsquery`)
	}
	return conditions
}

func (syntax) List(list []string) any { return list }

func (syntax) Among(place string) string { return `= ANY(` + place + `::text[])` }

// Each is for what PostgreSQL expects too much of: every search finds some hundredths of
// the library. For such numbers it would choose to go through the whole table.
func (syntax) Each(table, alias, condition string) string {
	return ` CROSS JOIN LATERAL (SELECT * FROM ` + table + ` ` + alias + ` WHERE ` + condition + ` OFFSET 0) ` + alias
}

func (syntax) FirstOf(place, condition, order string, n int) string {
	return fmt.Sprintf(`SELECT f.seq FROM unnest(%s::text[]) AS k (value) CROSS JOIN LATERAL (
		SELECT seq FROM books WHERE %s ORDER BY %s LIMIT %d) AS f`, place, condition, order, n)
}

func (syntax) Rows(columns []engine.RowColumn) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.Name + ` ` + c.Type
	}
	return `json_to_recordset($1::text::json) AS r (` + strings.Join(all, ", ") + `)`
}
