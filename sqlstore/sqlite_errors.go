package sqlstore

import (
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteCode is the primary result code of an error, 0 if it is not SQLite's.
func sqliteCode(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// diagnoseSQLite reads the extended result codes. Unique constraints are known
// by their column, foreign keys not at all.
func diagnoseSQLite(err error) diagnosis {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return diagnosis{}
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return diagnosis{kind: uniqueViolation, constraint: uniqueColumn(e.Error())}
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return diagnosis{kind: foreignKeyViolation}
	case sqlite3.SQLITE_CONSTRAINT_TRIGGER:
		return diagnosis{kind: checkViolation, constraint: raisedName(e.Error())}
	}
	return diagnosis{}
}

func uniqueColumn(message string) string {
	for columns, name := range map[string]string{
		"books.id": booksID, "users.id": usersID, "users.email_key": usersEmailKey, "users.card": usersCard,
		"copies.id": copiesID, "copies.barcode": copiesBarcode, "loans.id": loansID, "holds.id": holdsID,
		"loans.copy_id": loansOnePerCopy, "loans.book_id, loans.user_id": loansOnePerReader,
		"holds.copy_id": holdsOnePerCopy, "holds.book_id, holds.user_id": holdsOnePerReader,
	} {
		if strings.Contains(message, ": "+columns+" ") || strings.HasSuffix(message, ": "+columns) {
			return name
		}
	}
	return ""
}

// raisedName is the name that a trigger has raised.
func raisedName(message string) string {
	for _, name := range []string{copyOfTheBook, copyIsSetAside, copyIsLent} {
		if strings.Contains(message, name) {
			return name
		}
	}
	return ""
}

func unavailableSQLite(code int) string {
	switch code {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "the database file is locked by another program"
	case sqlite3.SQLITE_FULL:
		return diskIsFull
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN:
		return "the database file and its folder cannot be written; check the rights, and whether the disk is read-only"
	case sqlite3.SQLITE_IOERR:
		return "the disk with the database file does not work"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return damaged
	}
	return ""
}

const (
	damaged = "the database file " + isDamaged

	isDamaged = "is damaged; stop the server and put a backup in its place with 'library restore --force' " +
		"(see docs/operations.md; what is still readable: sqlite3 FILE .recover)"
)

// damagedFile also says which file, for those who have not started a server with it.
func damagedFile(path string) string { return fmt.Sprintf("the database file %q %s", path, isDamaged) }
