package sqlstore

import (
	"errors"
	"path"
	"strings"

	"github.com/pressly/goose/v3"
)

// libraryTables are the tables of the library, with the number of their migration.
var libraryTables = []struct {
	name  string
	since int64
	only  string // the dialect, if not both have it
}{
	{goose.DefaultTablename, 0, ""},
	{"books", 1, ""}, {"users", 1, ""}, {"copies", 1, ""}, {"loans", 1, ""}, {"holds", 1, ""}, {"policy", 1, ""}, {"stock", 1, ""},
	{"books_search", 1, "sqlite"}, {"users_search", 1, "sqlite"}, {"vocabulary", 1, ""}, {"letters", 1, ""},
	{"changes", 1, ""}, {"revision", 1, "postgres"}, {"changed_books", 1, "sqlite"},
	{"idempotency_keys", 1, ""}, {"idempotency_records", 1, ""}, {"unknown_cards", 1, ""}, {"stocktakes", 1, ""}, {"stocktake_copies", 1, ""}, {"stocktake_codes", 1, ""}, {CompatibilityTable, 1, ""},
	{"secrets", 1, ""}, {"logouts", 1, ""}, {"directory_users", 1, ""},
	{"directory_groups", 1, ""}, {"directory_members", 1, ""}, {"covers", 1, ""},
	{"outbox", 1, ""}, {"mails", 1, ""}, {"notices", 1, ""}, {"mail_problems", 1, ""},
	{"webhook_feed", 1, ""}, {"webhook_events", 1, ""}, {"webhooks", 1, ""}, {"webhook_overdue", 1, ""}, {"deleted_titles", 1, ""},
}

// Tables returns the tables of the library at a version of its schema, without the table of
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

// IncompleteDump is a dump of a library with missing tables.
type IncompleteDump struct{ Missing []string }

func (e *IncompleteDump) Error() string {
	return "it is not all of a library (missing tables: " + strings.Join(e.Missing, ", ") + "); restore another backup"
}

// newestMigration is the newest of this program.
func newestMigration(dialect string) (int64, error) {
	entries, err := migrationFiles.ReadDir("migrations/" + dialect)
	if err != nil || len(entries) == 0 {
		return 0, errors.Join(errors.New("sqlstore: read migrations"), err)
	}
	return goose.NumericComponent(path.Base(entries[len(entries)-1].Name()))
}
