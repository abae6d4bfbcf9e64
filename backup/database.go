package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"example.org/library/sqlstore"
	"example.org/library/sqlstore/postgres"
	"example.org/library/sqlstore/sqlite"
)

// Database is a database with dumps. A dump
// is one file with everything in it. It is made beside readers and writers, and can replace the database.
type Database interface {
	// Describe names the database for a person, without a password.
	Describe() string
	// Ending is the end of the names of dumps, and says their kind.
	Ending() string
	// IsPacked reports whether dumps are compressed as they are made.
	IsPacked() bool
	// Folder is where a dump has to be to take the place of the database; "" for anywhere.
	Folder() string

	// Dump writes the state of the database at one moment to a file that does not exist yet, and checks it.
	Dump(ctx context.Context, file string, progress Progress) error
	// Check explains why a file is not a dump for this program.
	Check(ctx context.Context, file string, progress Progress) error
	// Made is when a dump was made, if it says so itself.
	Made(ctx context.Context, file string) time.Time
	// MayReplace explains why a restore is refused: a database is there
	// already, unless it is to be replaced, or programs use it.
	MayReplace(ctx context.Context, force bool) error
	// Replace puts a checked dump in the place of the database, or leaves
	// it as it is. Only after [ErrUnconfirmed] it is not known which.
	Replace(ctx context.Context, file string, force bool) error
}

// Progress is called with a step, and how many bytes of how many; total is
// 0 if it is not known, and both are 0 if it is not done byte by byte.
type Progress func(doing string, done, total int64)

// ErrUnconfirmed means that the connection was lost when all was restored, and just before the server said so.
var ErrUnconfirmed = errors.New("the connection was lost before the server confirmed that everything is restored; " +
	"look whether it is, and restore again if not")

// NewDatabase is for the database at an address; see [sqlstore.Open].
func NewDatabase(address string) (Database, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch strings.ToLower(scheme) {
	case "sqlite":
		path, err := sqlite.Path(rest)
		return sqliteDatabase{path}, err
	case "postgres", "postgresql":
		_, err := postgres.ParseAddress(address)
		return postgresDatabase{address}, err
	}
	return nil, sqlstore.ErrUnknownAddress
}

// errOccupied is the refusal to overwrite.
func errOccupied(what string) error {
	return fmt.Errorf("%s; restore into a new one, or replace it with --force", what)
}

var errForeignDump = errors.New("it is a database of another program, not of this one")

// damagedDump is a dump with a loss.
type damagedDump struct{ found string }

func (e *damagedDump) Error() string { return "it is damaged (" + e.found + ")" }

// ofDatabase applies the fault of a dump to its database.
func ofDatabase(err error) error {
	if incomplete, ok := errors.AsType[*sqlstore.IncompleteDump](err); ok {
		return fmt.Errorf("the library is not complete (missing tables: %s); stop the servers and bring back the last good backup "+
			"with library restore --force", strings.Join(incomplete.Missing, ", "))
	}
	return err
}

// createDump makes the file of a dump for its owner alone, before anything is in it.
func createDump(file string) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make a file for the copy: %w", err)
	}
	return f.Close()
}
