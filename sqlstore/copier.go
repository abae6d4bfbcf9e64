package sqlstore

import (
	"context"
	"errors"
	"fmt"
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
	// Replace puts a copy that was checked in the place of the database.
	Replace(ctx context.Context, file string, force bool) error
}

// Progress hears what is being done, and how many bytes of how many; total is 0 if
// nobody knows, and both are if it is not done byte by byte.
type Progress func(doing string, done, total int64)

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
	return fmt.Errorf("%s is there already; restore into a new one, or replace it with --force", what)
}

// checkCopiedSchema refuses a copy with a schema that this program could not serve.
func checkCopiedSchema(dialect string, version int64, downTo func() (int64, error)) error {
	newest, err := newestMigration(dialect)
	if err != nil {
		return err
	}
	return checkSchema(version, newest, downTo)
}

// newestMigration is the newest that this program has.
func newestMigration(dialect string) (int64, error) {
	entries, err := migrations.ReadDir("migrations/" + dialect)
	if err != nil || len(entries) == 0 {
		return 0, errors.Join(errors.New("sqlstore: read migrations"), err)
	}
	return goose.NumericComponent(path.Base(entries[len(entries)-1].Name()))
}
