package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"example.org/library/sqlstore/engine"
)

// Error describes a failure: see [engine.Describe].
func Error(ctx context.Context, doing string, err error) error {
	return engine.Describe(ctx, doing, err, unavailable)
}

// Code is the primary result code of an error, 0 if it is not SQLite's.
func Code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// diagnose reads the extended result codes. Unique constraints are known by their column, foreign keys not at all.
func diagnose(err error) engine.Diagnosis {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return engine.Diagnosis{}
	}
	switch e.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return engine.Diagnosis{Kind: engine.UniqueViolation, Constraint: uniqueColumn(e.Error())}
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return engine.Diagnosis{Kind: engine.ForeignKeyViolation}
	case sqlite3.SQLITE_CONSTRAINT_TRIGGER:
		return engine.Diagnosis{Kind: engine.CheckViolation, Constraint: raisedName(e.Error())}
	}
	return engine.Diagnosis{}
}

func uniqueColumn(message string) string {
	for columns, name := range map[string]string{
		"books.id": engine.BooksID, "users.id": engine.UsersID, "users.email_key": engine.UsersEmailKey, "users.card": engine.UsersCard, "users.subject": engine.UsersSubject,
		"copies.id": engine.CopiesID, "copies.barcode": engine.CopiesBarcode, "loans.id": engine.LoansID, "holds.id": engine.HoldsID,
		"loans.copy_id": engine.LoansOnePerCopy, "loans.book_id, loans.user_id": engine.LoansOnePerReader,
		"holds.copy_id": engine.HoldsOnePerCopy, "holds.book_id, holds.user_id": engine.HoldsOnePerReader,
	} {
		if strings.Contains(message, ": "+columns+" ") || strings.HasSuffix(message, ": "+columns) {
			return name
		}
	}
	return ""
}

// raisedName returns the name raised by a trigger.
func raisedName(message string) string {
	for _, name := range []string{engine.CopyOfTheBook, engine.CopyIsSetAside, engine.CopyIsLent} {
		if strings.Contains(message, name) {
			return name
		}
	}
	return ""
}

// unavailable is the Unavailable of the dialect.
func unavailable(err error) string {
	switch Code(err) {
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
	if errors.Is(err, driver.ErrBadConn) {
		return "the database cannot be reached"
	}
	return ""
}

const (
	damaged = "the database file " + isDamaged

	isDamaged = "is damaged; stop the server and put a backup in its place with 'library restore --force' " +
		"(see docs/operations.md; what is still readable: sqlite3 FILE .recover)"
)

// DamagedFile names the file, too, for readers who have not started a server with it.
func DamagedFile(path string) string { return fmt.Sprintf("the database file %q %s", path, isDamaged) }
