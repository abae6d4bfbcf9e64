package postgres

import (
	"fmt"
	"strings"

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
	EditMark:            editMark,
	// What came with a dump from another cluster may have numbers of transactions that this
	// one has not reached yet.
	TitleMark:  `SELECT pg_current_snapshot()::text`,
	TitlesUpTo: `(pg_visible_in_snapshot(at, $1::text::pg_snapshot) OR at >= pg_snapshot_xmax(pg_current_snapshot()))`,
	Vacuum:     func(tables ...string) string { return `VACUUM ` + strings.Join(tables, `, `) },
	Numbers:    `(SELECT ordinality AS place, value::bigint AS value FROM json_array_elements_text($1::text::json) WITH ORDINALITY) AS n`,
	HasTable:   `SELECT to_regclass($1) IS NOT NULL`,
	// Planned each time with its values. A plan for any values at all does
	// not know whether a word is rare.
	PlanOptions: []any{pgx.QueryExecModeCacheDescribe},
	Diagnose:    diagnose,
	Unavailable: unavailable,
}

// syntax is the SQL of PostgreSQL that depends on what is asked for.
type syntax struct{}

// The history of changes: what is below the oldest transaction
// that is still running is complete. See the migration.
const (
	settled    = `major < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	lastChange = `SELECT major, seq, mark FROM changes
		WHERE ` + settled + ` ORDER BY major DESC, seq DESC LIMIT 1`
	changesFrom = `SELECT major, seq, mark, kind, subject, borrowed, available, coalesce(person, '') FROM changes
		WHERE (major, seq) >= ($1, $2) AND ` + settled + ` ORDER BY major, seq LIMIT $3`

	// A history that came with a dump from another cluster has the numbers of
	// that cluster's transactions. Those that this one has not reached yet would
	// be reported as new some day.
	dropForeignChanges = `DELETE FROM changes WHERE major >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
)

// The edits of the catalogue: a mark is where they are, and the
// snapshot of a statement. See the migration. Numbers of transactions may be given
// again after a crash, with which statistics begin anew. The snapshots of a standby
// server do not say what is running. Edits of a transaction that was prepared before
// the server was started look like those of before, which correct nothing.
const (
	editsPlace = `pg_relation_filepath('book_edits') || '@' || extract(epoch FROM pg_postmaster_start_time())
		|| '@' || coalesce(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), 0)`
	editMark = `CASE WHEN pg_is_in_recovery() OR EXISTS (SELECT 1 FROM pg_prepared_xacts WHERE prepared < pg_postmaster_start_time())
		THEN '' ELSE ` + editsPlace + ` || ' ' || pg_current_snapshot()::text END`
)

func (syntax) EditsAfter(place string) (isAfter, areComplete string) {
	where, snapshot := `split_part(`+place+`::text, ' ', 1)`, `split_part(`+place+`::text, ' ', 2)::pg_snapshot`
	return `e.started = pg_postmaster_start_time() AND e.xid >= pg_snapshot_xmin(` + snapshot + `) AND NOT pg_visible_in_snapshot(e.xid, ` + snapshot + `)`,
		where + ` = ` + editsPlace + ` AND EXISTS (
			SELECT 1 FROM book_edits WHERE xid < pg_snapshot_xmin(` + snapshot + `) OR started <> pg_postmaster_start_time())`
}

// Values sends each column as an array, so that the text is the same for any number of rows.
func (syntax) Values(types []string, rows [][]any) (source string, args []any) {
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
	conditions := s.BookConditions(a, w.Terms, w.Authors)
	conditions = append(conditions, engine.PrefixConditions(a, "b.search_words", w.Common)...)
	return `SELECT b.seq FROM books b WHERE ` + strings.Join(conditions, " AND ")
}

func (syntax) FindWord(a *engine.Arguments, word string) string {
	return `SELECT seq FROM books WHERE search @@ ` + a.Add(`'`+word+`'`) + `::tsquery`
}

func (syntax) FindUsers(a *engine.Arguments, terms []library.Term) string {
	return `SELECT seq FROM users WHERE search @@ ` + a.Add(tsQuery(terms)) + `::tsquery`
}

// tsQuery is a question in the language of tsquery.
func tsQuery(terms []library.Term) string {
	return engine.SearchQuery(terms, func(word string) string { return `'` + word + `':*` }, " & ", " | ")
}

// BookConditions is what PostgreSQL can estimate best.
func (syntax) BookConditions(a *engine.Arguments, terms, authors []library.Term) []string {
	var conditions []string
	if len(terms) > 0 {
		conditions = append(conditions, `b.search @@ `+a.Add(tsQuery(terms))+`::tsquery`)
	}
	if len(authors) > 0 {
		conditions = append(conditions, `b.author_search @@ `+a.Add(tsQuery(authors))+`::tsquery`)
	}
	return conditions
}

func (syntax) List(list []string) any { return list }

func (syntax) Among(place string) string { return `= ANY(` + place + `::text[])` }

// Each is for what PostgreSQL expects too much of: every search finds some hundredths of
// the library, every range of titles half a hundredth. For such numbers it would choose to
// go through the whole table.
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
