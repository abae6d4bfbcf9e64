package sqlstore_test

import (
	"database/sql"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/library/internal/testkit"
)

var updateSchema = flag.Bool("update-schema", false, "write migrations/*/schema.sql")

// TestTheSchemaCanBeReadInOnePlace compares the tables that the migrations make with
// schema.sql beside them. After a new migration, run it with -update-schema.
func TestTheSchemaCanBeReadInOnePlace(t *testing.T) {
	t.Parallel()
	for name, describe := range map[string]func(*testing.T, *sql.DB) string{"sqlite": describeSQLite, "postgres": describePostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := emptyDatabases[name](t)
			open(t, address)
			got := "-- What the migrations make of an empty database, for reading. Written by\n" +
				"-- go test ./sqlstore -run TestTheSchemaCanBeReadInOnePlace -update-schema\n\n" + strings.TrimLeft(describe(t, openSQL(t, address)), "\n")
			file := "migrations/" + name + "/schema.sql"
			if *updateSchema {
				testkit.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			testkit.NoError(t, err)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s is not what the migrations make; write it again with -update-schema (-file +migrations)\n%s", file, diff)
			}
		})
	}
}

// describeSQLite has each table with its indexes and triggers. SQLite keeps the text of
// the migration, comments included. The tables behind a search index are left out.
func describeSQLite(t *testing.T, db *sql.DB) string {
	t.Helper()
	return paragraphs(t, db, `SELECT s.sql || ';' FROM sqlite_schema s JOIN sqlite_schema t ON t.type = 'table' AND t.name = s.tbl_name
		WHERE s.sql IS NOT NULL AND s.tbl_name NOT LIKE 'sqlite\_%' ESCAPE '\' AND s.tbl_name NOT LIKE '%\_search\_%' ESCAPE '\'
			AND s.tbl_name <> 'goose_db_version'
		ORDER BY t.rowid, CASE s.type WHEN 'table' THEN 1 WHEN 'index' THEN 2 ELSE 3 END, s.name`)
}

// describePostgres has each table with its indexes and triggers, and then the functions, as
// the catalogue of PostgreSQL shows them.
func describePostgres(t *testing.T, db *sql.DB) string {
	t.Helper()
	return paragraphs(t, db, `SELECT text FROM (`+postgresTables+` UNION ALL `+postgresIndexes+` UNION ALL `+postgresTriggers+` UNION ALL `+postgresFunctions+`
		) AS all_of_it ORDER BY owner, part, name COLLATE "C"`)
}

// Each has the table that something belongs to, a number for its kind, its name and its text.
const (
	postgresTables = `
		SELECT c.oid AS owner, 1 AS part, '' AS name, 'CREATE TABLE ' || c.relname || E' (\n    ' || concat_ws(E',\n    ', (
			SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
				CASE WHEN l.collname <> 'default' THEN 'COLLATE ' || quote_ident(l.collname) END,
				CASE WHEN a.attnotnull THEN 'NOT NULL' END,
				CASE WHEN a.attidentity = 'a' THEN 'GENERATED ALWAYS AS IDENTITY'
					WHEN a.attgenerated = 's' THEN 'GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
					ELSE 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid) END), E',\n    ' ORDER BY a.attnum)
			FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
				LEFT JOIN pg_collation l ON l.oid = a.attcollation
			WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), (
			SELECT string_agg('CONSTRAINT ' || o.conname || ' ' || pg_get_constraintdef(o.oid), E',\n    ' ORDER BY o.contype DESC, o.conname)
			FROM pg_constraint o WHERE o.conrelid = c.oid AND o.contype IN ('p', 'u', 'f', 'c'))) ||
			E'\n)' || coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') || ';' AS text
		FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'goose_db_version'`
	postgresIndexes = `
		SELECT i.indrelid, 2, i.indexrelid::regclass::text, replace(pg_get_indexdef(i.indexrelid), ' public.', ' ') || ';'
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
		WHERE c.relnamespace = 'public'::regnamespace AND NOT EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = i.indexrelid)`
	postgresTriggers = `
		SELECT g.tgrelid, 3, g.tgname, replace(pg_get_triggerdef(g.oid), ' public.', ' ') || ';'
		FROM pg_trigger g WHERE NOT g.tgisinternal`
	postgresFunctions = `
		SELECT oid(4294967295), 4, p.proname, 'CREATE FUNCTION ' || p.proname || '(' || pg_get_function_arguments(p.oid) || ') RETURNS ' ||
			pg_get_function_result(p.oid) || ' LANGUAGE ' || l.lanname || ' AS $$' || p.prosrc || '$$;'
		FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = 'public'::regnamespace`
)

// paragraphs are the rows of a query; a line or more between two of them.
func paragraphs(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	testkit.NoError(t, err)
	defer rows.Close()
	var all strings.Builder
	for rows.Next() {
		var text string
		testkit.NoError(t, rows.Scan(&text))
		if strings.Contains(text, "\n") || strings.HasPrefix(text, "CREATE VIRTUAL") {
			all.WriteString("\n")
		}
		all.WriteString(text + "\n")
	}
	testkit.NoError(t, rows.Err())
	return all.String()
}
