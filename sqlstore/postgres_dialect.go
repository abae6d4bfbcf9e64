package sqlstore

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pressly/goose/v3"

	"example.org/library"
)

func postgresDialect() dialect {
	return dialect{
		name:           "postgres",
		goose:          goose.DialectPostgres,
		forUpdate:      ` FOR UPDATE`,
		forNoKeyUpdate: ` FOR NO KEY UPDATE`,
		forShare:       ` FOR SHARE`,
		findBooks:      findBooksPostgres,
		findUsers:      findUsersPostgres,
		bookConditions: bookConditionsPostgres,
		lastChange:     lastChangePostgres,
		changesFrom:    changesFromPostgres,
		editMark:       editMarkPostgres,
		editsAfter:     editsAfterPostgres,
		list:           func(list []string) any { return list },
		among:          func(place string) string { return `= ANY(` + place + `::text[])` },
		// Every search is expected to find some hundredths of the library. For so
		// many it would seem faster to go through the stock of all books.
		eachStock: ` CROSS JOIN LATERAL (SELECT * FROM stock WHERE seq = b.seq OFFSET 0) s`,
		firstOf:   firstOfPostgres,
		numbers:   `(SELECT ordinality AS place, value::bigint AS value FROM json_array_elements_text($1::text::json) WITH ORDINALITY) AS n`,
		bookRows: `json_to_recordset($1::text::json) AS r (id text, isbn text, isbn_key text, title text, title_key text,
			description text, authors text, search_words text, author_words text, version text, created_at bigint, first_copies int)`,
		labelRows:    `json_to_recordset($1::text::json) AS r (book_id text, place int, barcode text, shelf text)`,
		advisoryLock: `SELECT pg_advisory_xact_lock(7236838 + $1::int)`,
		claimKey: `SELECT 1 / (CASE WHEN pg_try_advisory_xact_lock($1) AND NOT EXISTS (
			SELECT 1 FROM idempotency_keys WHERE key = $2 AND created_at > $3) THEN 1 ELSE 0 END)`,
		hasTable: `SELECT to_regclass($1) IS NOT NULL`,
		// Planned each time with its values. A plan for any values at all does
		// not know whether a word is rare.
		listOptions: []any{pgx.QueryExecModeCacheDescribe},
		isReadOnly:  `current_setting('transaction_read_only') = 'on'`,
		probe:       `UPDATE revision SET changes = changes WHERE part = 0`,
		diagnose:    diagnosePostgres,
	}
}

// The history of changes on PostgreSQL: what is below the oldest transaction
// that is still running is complete. See the migration.
const (
	settled            = `major < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`
	lastChangePostgres = `SELECT major, seq, mark FROM changes
		WHERE ` + settled + ` ORDER BY major DESC, seq DESC LIMIT 1`
	changesFromPostgres = `SELECT major, seq, mark, kind, subject, borrowed, available, coalesce(person, '') FROM changes
		WHERE (major, seq) >= ($1, $2) AND ` + settled + ` ORDER BY major, seq LIMIT $3`

	// A history that came with a dump from another cluster has the numbers of
	// that cluster's transactions. Those that this one has not reached yet would
	// be reported as new some day.
	dropForeignChanges = `DELETE FROM changes WHERE major >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`
)

// The edits of the catalogue on PostgreSQL: a mark is where they are, and the
// snapshot of a statement. See the migration. Numbers of transactions may be given
// again after a crash, with which statistics begin anew. The snapshots of a standby
// server do not say what is running. Edits of a transaction that was prepared before
// the server was started look like those of before, which correct nothing.
const (
	editsPlace = `pg_relation_filepath('book_edits') || '@' || extract(epoch FROM pg_postmaster_start_time())
		|| '@' || coalesce(extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time()), 0)`
	editMarkPostgres = `CASE WHEN pg_is_in_recovery() OR EXISTS (SELECT 1 FROM pg_prepared_xacts WHERE prepared < pg_postmaster_start_time())
		THEN '' ELSE ` + editsPlace + ` || ' ' || pg_current_snapshot()::text END`
)

func editsAfterPostgres(place string) (isAfter, areComplete string) {
	where, snapshot := `split_part(`+place+`::text, ' ', 1)`, `split_part(`+place+`::text, ' ', 2)::pg_snapshot`
	return `e.started = pg_postmaster_start_time() AND e.xid >= pg_snapshot_xmin(` + snapshot + `) AND NOT pg_visible_in_snapshot(e.xid, ` + snapshot + `)`,
		where + ` = ` + editsPlace + ` AND EXISTS (
			SELECT 1 FROM book_edits WHERE xid < pg_snapshot_xmin(` + snapshot + `) OR started <> pg_postmaster_start_time())`
}

func findBooksPostgres(a *arguments, q bookQuery) string {
	conditions := bookConditionsPostgres(a, q.Terms, q.Authors)
	conditions = append(conditions, prefixConditions(a, "b.search_words", q.common)...)
	return `SELECT b.seq FROM books b WHERE ` + strings.Join(conditions, " AND ")
}

func findUsersPostgres(a *arguments, terms []library.Term) string {
	return `SELECT seq FROM users WHERE search @@ ` + a.add(tsQuery(terms)) + `::tsquery`
}

// tsQuery is a question in the language of tsquery.
func tsQuery(terms []library.Term) string {
	return searchQuery(terms, func(word string) string { return `'` + word + `':*` }, " & ", " | ")
}

// bookConditionsPostgres is what PostgreSQL can estimate best.
func bookConditionsPostgres(a *arguments, terms, authors []library.Term) []string {
	var conditions []string
	if len(terms) > 0 {
		conditions = append(conditions, `b.search @@ `+a.add(tsQuery(terms))+`::tsquery`)
	}
	if len(authors) > 0 {
		conditions = append(conditions, `b.author_search @@ `+a.add(tsQuery(authors))+`::tsquery`)
	}
	return conditions
}

func firstOfPostgres(place, condition, order string, n int) string {
	return fmt.Sprintf(`SELECT f.seq FROM unnest(%s::text[]) AS k (value) CROSS JOIN LATERAL (
		SELECT seq FROM books WHERE %s ORDER BY %s LIMIT %d) AS f`, place, condition, order, n)
}
