package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// Copier copies a whole database into one file, and such a file back into a
// database. It works beside programs that read and write.
type Copier interface {
	// Describe names the database for a person, without a password.
	Describe() string
	// Ending is how the names of copies end, which says what is in them.
	Ending() string
	// IsPacked reports whether copies are compressed as they are made.
	IsPacked() bool
	// Folder is where a copy has to be to take the place of the database; "" for anywhere.
	Folder() string

	// Dump writes what the database holds at one moment to a file that does not
	// exist yet, and checks it.
	Dump(ctx context.Context, file string, progress Progress) error
	// Check says why a file is not a copy that this program can work with.
	Check(ctx context.Context, file string, progress Progress) error
	// Made is when a copy was made, if it says so itself.
	Made(ctx context.Context, file string) time.Time
	// MayReplace says what stands in the way of a copy: a database that is there
	// already, unless it is to be replaced, and programs that use it.
	MayReplace(ctx context.Context, force bool) error
	// Replace puts a copy that was checked in the place of the database, or leaves
	// that as it is. Only after [ErrUnconfirmed] nobody knows which.
	Replace(ctx context.Context, file string, force bool) error
}

// Progress hears what is being done, and how many bytes of how many; total is 0 if
// nobody knows, and both are if it is not done byte by byte.
type Progress func(doing string, done, total int64)

// ErrUnconfirmed means that the connection was lost when all was restored, and
// just before the server said so.
var ErrUnconfirmed = errors.New("the connection was lost before the server confirmed that everything is restored; " +
	"look whether it is, and restore again if not")

// NewCopier is for the database at an address; see [Open].
func NewCopier(address string) (Copier, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		path, err := sqlitePath(rest)
		return sqliteCopier{path}, err
	case "postgres", "postgresql":
		_, err := parsePostgres(address)
		return postgresCopier{address}, err
	}
	return nil, errUnknownAddress
}

// occupied is the refusal to overwrite.
func occupied(what string) error {
	return fmt.Errorf("%s; restore into a new one, or replace it with --force", what)
}

// checkCopiedSchema refuses a copy with a schema that this program could not serve.
func checkCopiedSchema(dialect string, version int64, downTo func() (int64, error)) error {
	newest, err := newestMigration(dialect)
	if err != nil {
		return err
	}
	return checkSchema(version, newest, downTo)
}

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
	{"idempotency_keys", 1, ""}, {"idempotency_records", 1, ""}, {compatibilityTable, 1, ""},
}

// checkTables wants all tables that the library has at a version: whatever else is
// in a copy, without them it brings no library back.
func checkTables(dialect string, version int64, has func(table string) bool) error {
	if err := checkReleased(version, has); err != nil {
		return err
	}
	var missing []string
	for _, t := range libraryTables {
		if t.since <= version && (t.only == "" || t.only == dialect) && !has(t.name) {
			missing = append(missing, t.name)
		}
	}
	if missing != nil {
		return &incompleteCopy{missing}
	}
	return nil
}

// incompleteCopy is a copy of a library that had lost tables.
type incompleteCopy struct{ missing []string }

func (e *incompleteCopy) Error() string {
	return "it is not all of a library (missing tables: " + strings.Join(e.missing, ", ") + "); restore another backup"
}

// ofDatabase says of the database what was found in a copy that was just made.
func ofDatabase(err error) error {
	var incomplete *incompleteCopy
	if errors.As(err, &incomplete) {
		return fmt.Errorf("the library is not complete (missing tables: %s); stop the servers and bring back the last good backup "+
			"with library restore --force", strings.Join(incomplete.missing, ", "))
	}
	return err
}

// createCopy makes the file of a copy for its owner alone, before anything is in it.
func createCopy(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a file for the copy: %w", err)
	}
	return f.Close()
}

// newestMigration is the newest that this program has.
func newestMigration(dialect string) (int64, error) {
	entries, err := migrationFiles.ReadDir("migrations/" + dialect)
	if err != nil || len(entries) == 0 {
		return 0, errors.Join(errors.New("sqlstore: read migrations"), err)
	}
	return goose.NumericComponent(path.Base(entries[len(entries)-1].Name()))
}
