package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/library"
)

// dbError tells what failed. Errors of the domain pass as they are; a context
// that ended is recognizable whatever words the driver has for it.
func dbError(ctx context.Context, doing string, err error) error {
	var known *library.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if ended := ctx.Err(); ended != nil {
		if errors.Is(err, ended) {
			return fmt.Errorf("sqlstore: %s: %w", doing, err)
		}
		return wrap(doing, ended, err)
	}
	if reason := unavailable(err); reason != "" {
		return wrap(doing+": "+reason, library.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlstore: %s: %w", doing, err)
}

// wrap is an error of the database that is also an error with a meaning to
// others.
func wrap(doing string, meaning, err error) error {
	return &meantError{doing: doing, meaning: meaning, err: err}
}

type meantError struct {
	doing        string
	meaning, err error
}

func (e *meantError) Error() string { return "sqlstore: " + e.doing + ": " + oneLine(e.err.Error()) }

// oneLine says once what a driver says of each of its attempts.
func oneLine(text string) string {
	var said []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, " ")
}

func (e *meantError) Unwrap() []error { return []error{e.meaning, e.err} }

// unavailable says why the database cannot do what it is asked for now, though
// nothing is wrong with the statement; "" if that is not what the error says.
func unavailable(err error) string {
	if reason := unavailableSQLite(sqliteCode(err)); reason != "" {
		return reason
	}
	return unavailablePostgres(err)
}

// diagnosis is a database's error in words that both databases have.
type diagnosis struct {
	kind       diagnosisKind
	constraint string // which constraint was violated, where that is known
}

type diagnosisKind int

const (
	otherError diagnosisKind = iota
	uniqueViolation
	foreignKeyViolation
	checkViolation
	tryAgain       // lost against another transaction; from the start it may succeed
	lockTimeout    // waited for a lock for as long as it may at a time
	connectionLost // by this connection nothing more can be done, by another it can
)

// The constraints that a caller can run into, by their names in the migrations.
const (
	booksID           = "books_id"
	usersID           = "users_id"
	usersEmailKey     = "users_email_key"
	usersCard         = "users_card"
	copiesID          = "copies_id"
	copiesBarcode     = "copies_barcode"
	copiesBook        = "copies_book"
	loansID           = "loans_id"
	loansBook         = "loans_book"
	loansUser         = "loans_user"
	loansOnePerCopy   = "loans_one_open_per_copy"
	loansOnePerReader = "loans_one_open_per_reader"
	holdsID           = "holds_id"
	holdsBook         = "holds_book"
	holdsUser         = "holds_user"
	holdsOnePerCopy   = "holds_one_per_copy"
	holdsOnePerReader = "holds_one_active_per_reader"

	// These are raised by triggers.
	copyOfTheBook  = "copy_of_the_book"
	copyIsSetAside = "copy_is_set_aside"
	copyIsLent     = "copy_is_lent"

	// This is no constraint of the schema: see pipeline.write.
	nothingChanged = "nothing_changed"
)
