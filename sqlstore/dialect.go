package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"example.org/library"
)

// dialect is everything in which the two databases differ.
type dialect struct {
	name  string // also the folder of the migrations
	goose goose.Dialect

	// lockedBook is oneBook for a book that is held until the end of the
	// transaction, forUpdate the end of a statement that does so with a record
	// of one table. Where transactions are alone in the database there is
	// nothing to hold.
	lockedBook string
	forUpdate  string
	// callerAndBook is lockedBook with the callerColumns of the user $2, who is
	// locked as by forShare: against changes, but not against others who share.
	callerAndBook string
	forShare      string

	// revision is an expression that differs whenever the data visible to the
	// statement differ. "" where the database has none (see sqliteRevision).
	revision string

	// findBooks and findUsers select the seq of the records that match.
	findBooks func(a *arguments, q bookQuery) string
	findUsers func(a *arguments, terms []library.Term) string
	// asksBook is the conditions that a book b matches, for a reader who goes
	// through the books in order.
	asksBook func(a *arguments, terms, authors []library.Term) []string

	// lastChange is the position of the newest change, changesFrom are the
	// changes from $1 and $2 on, at most $3. Both see only what nothing can be
	// inserted into any more.
	lastChange, changesFrom string
	// afterMigration mends what a restored backup may have brought along.
	afterMigration string
	// list is a list of strings as the value of an argument, among the condition
	// that a column is in the list at a place.
	list  func([]string) any
	among func(place string) string
	// firstOf selects, for each k.value in the list at a place, the seq of up to n
	// books that a condition is true of, in an order.
	firstOf func(place, condition, order string, n int) string
	// bookRows takes the value $1 of formatBooks apart again, as a table r.
	bookRows string
	// advisoryLock waits for the lock with number $1 and keeps it until the end of
	// the transaction. "" where transactions are alone in the database.
	advisoryLock string

	// hasTable asks whether there is a table named $1.
	hasTable string
	// migrationLock and migrationUnlock let one program migrate at a time.
	migrationLock, migrationUnlock string

	// listOptions go before the arguments of a statement whose best plan
	// depends on them.
	listOptions []any

	// isReadOnly is an expression that tells whether nothing can be written, as
	// far as the database knows. probe writes as little as possible, and nothing
	// that anybody reads.
	isReadOnly, probe string

	// diagnose says what the database had against a statement.
	diagnose func(error) diagnosis
}

// diagnosis is a database's error in words that both databases have.
type diagnosis struct {
	kind       diagnosisKind
	constraint string // which unique constraint, or foreign key where known
}

type diagnosisKind int

const (
	anotherFault diagnosisKind = iota
	uniqueViolation
	foreignKeyViolation
	tryAgain // lost against another transaction; from the start it may succeed
)

// The constraints that a caller can run into, by their names in the migrations.
const (
	booksID       = "books_id"
	usersID       = "users_id"
	usersEmailKey = "users_email_key"
	loansBook     = "loans_book"
	loansUser     = "loans_user"
)

// querier is a database or a transaction in it.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// fault tells what failed. Errors of the domain pass as they are; a context
// that ended is recognizable whatever words the driver has for it.
func fault(ctx context.Context, doing string, err error) error {
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

func (e *meantError) Error() string { return "sqlstore: " + e.doing + ": " + e.err.Error() }

func (e *meantError) Unwrap() []error { return []error{e.meaning, e.err} }
