package sqlstore

import (
	"errors"
	"path"
	"strings"

	"github.com/pressly/goose/v3"
)

// libraryTables are the tables of the library, and with which migration they came.
var libraryTables = []struct {
	name  string
	since int64
	only  string // the dialect, if not both have it
}{
	{goose.DefaultTablename, 0, ""},
	{"books", 1, ""}, {"users", 1, ""}, {"copies", 1, ""}, {"loans", 1, ""}, {"holds", 1, ""}, {"policy", 1, ""}, {"stock", 1, ""},
	{"search_index", 1, ""}, {"books_search", 1, "sqlite"}, {"users_search", 1, "sqlite"},
	{"changes", 1, ""}, {"revision", 1, "postgres"}, {"changed_books", 1, "sqlite"}, {"book_edits", 1, ""},
	{"idempotency_keys", 1, ""}, {"idempotency_records", 1, ""}, {CompatibilityTable, 1, ""},
	{"title_ranges", 2, ""}, {"range_words", 2, ""}, {"edited_titles", 2, ""},
	{"secrets", 4, ""},
	{"covers", 5, ""},
	{"outbox", 6, ""}, {"mails", 6, ""}, {"notices", 6, ""}, {"mail_problems", 6, ""},
	{"webhook_feed", 7, ""}, {"webhook_events", 7, ""}, {"webhooks", 7, ""}, {"webhook_overdue", 7, ""}, {"deleted_titles", 7, ""},
	{"repeated_titles", 13, ""},
	{"vocabulary", 14, ""}, {"letters", 14, ""},
}

// Tables are the tables that the library has at a version of its schema, without that of
// the migrations: other programs have one, too. The dialect is sqlite or postgres.
func Tables(dialect string, version int64) (names []string) {
	for _, t := range libraryTables {
		if t.since > 0 && t.since <= version && (t.only == "" || t.only == dialect) {
			names = append(names, t.name)
		}
	}
	return names
}

// CheckDump says why this program could not serve a dump with a version of the schema.
// Whatever else is in it, without all tables of that version it brings no library back.
// downTo returns what the [CompatibilityTable] says.
func CheckDump(dialect string, version int64, has func(table string) bool, downTo func() (int64, error)) error {
	if err := checkReleased(version, has); err != nil {
		return err
	}
	var missing []string
	for _, table := range append([]string{goose.DefaultTablename}, Tables(dialect, version)...) {
		if !has(table) {
			missing = append(missing, table)
		}
	}
	if missing != nil {
		return &IncompleteDump{missing}
	}
	newest, err := newestMigration(dialect)
	if err != nil {
		return err
	}
	return checkSchema(version, newest, downTo)
}

// IncompleteDump is a dump of a library that had lost tables.
type IncompleteDump struct{ Missing []string }

func (e *IncompleteDump) Error() string {
	return "it is not all of a library (missing tables: " + strings.Join(e.Missing, ", ") + "); restore another backup"
}

// newestMigration is the newest that this program has.
func newestMigration(dialect string) (int64, error) {
	entries, err := migrationFiles.ReadDir("migrations/" + dialect)
	if err != nil || len(entries) == 0 {
		return 0, errors.Join(errors.New("sqlstore: read migrations"), err)
	}
	return goose.NumericComponent(path.Base(entries[len(entries)-1].Name()))
}
