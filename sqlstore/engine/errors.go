package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/library"
)

// Describe describes a failure. Errors of the domain pass as they are; the end of a context is recognizable whatever
// words the driver has for it. unavailable is the field of a [Dialect].
func Describe(ctx context.Context, doing string, err error, unavailable func(error) string) error {
	var known *library.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	if ended := ctx.Err(); ended != nil {
		if errors.Is(err, ended) {
			return fmt.Errorf("sqlstore: %s: %w", doing, err)
		}
		return Wrap(doing, ended, err)
	}
	reason := unavailable(err)
	if reason == "" && errors.Is(err, context.DeadlineExceeded) { // ours, because the caller's has not ended
		reason = "the database did not answer in time"
	}
	if reason != "" {
		return Wrap(doing+": "+reason, library.ErrUnavailable, err)
	}
	return fmt.Errorf("sqlstore: %s: %w", doing, err)
}

// ReadOnly is err as the reason why the database can be read and not written; nil for nil.
func ReadOnly(err error) error {
	if err == nil {
		return nil
	}
	return readOnlyError{err}
}

type readOnlyError struct{ error }

func (e readOnlyError) Unwrap() []error { return []error{library.ErrReadOnly, e.error} }

// Error is [Describe] for the records of this database.
func (d *Dialect) Error(ctx context.Context, doing string, err error) error {
	return Describe(ctx, doing, err, d.Unavailable)
}

// ErrNewerSchema means: a newer version of the program has migrated the
// database, and this one cannot work with it. See migrations/README.md.
var ErrNewerSchema = errors.New("the database was made by a newer version of this program; use that version or a newer one")

// ErrUnreleasedSchema means: the database is older than the first version. Its
// migrations had the numbers of today's, and made other tables.
var ErrUnreleasedSchema = errors.New("the database was made by a version before 1.0.0, which this program cannot bring up to date; " +
	"it was left as it is. Start with a new database: export the books with the program that made this one " +
	"(library books export), and import them into the new one")

// Wrap makes an error of the database an error with a meaning to others.
func Wrap(doing string, meaning, err error) error {
	return &meantError{doing: doing, meaning: meaning, err: err}
}

type meantError struct {
	doing        string
	meaning, err error
}

func (e *meantError) Error() string { return "sqlstore: " + e.doing + ": " + oneLine(e.err.Error()) }

// oneLine joins the words of a driver about each of its attempts, each once.
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

// Diagnosis is a database's error in the words of both databases.
type Diagnosis struct {
	Kind       DiagnosisKind
	Constraint string // which constraint was violated, where that is known
}

type DiagnosisKind int

const (
	OtherError DiagnosisKind = iota
	UniqueViolation
	ForeignKeyViolation
	CheckViolation
	TryAgain       // lost against another transaction; from the start it may succeed
	LockTimeout    // waited for a lock for as long as it may at a time
	ConnectionLost // by this connection nothing more can be done, by another it can
)

// The constraints within reach of a caller, by their names in the migrations.
const (
	BooksID           = "books_id"
	UsersID           = "users_id"
	UsersEmailKey     = "users_email_key"
	UsersCard         = "users_card"
	UsersSubject      = "users_subject"
	CopiesID          = "copies_id"
	CopiesBarcode     = "copies_barcode"
	CopiesBook        = "copies_book"
	LoansID           = "loans_id"
	LoansBook         = "loans_book"
	LoansUser         = "loans_user"
	LoansOnePerCopy   = "loans_one_open_per_copy"
	LoansOnePerReader = "loans_one_open_per_reader"
	HoldsID           = "holds_id"
	HoldsBook         = "holds_book"
	HoldsUser         = "holds_user"
	HoldsOnePerCopy   = "holds_one_per_copy"
	HoldsOnePerReader = "holds_one_active_per_reader"

	// These are raised by triggers.
	CopyOfTheBook  = "copy_of_the_book"
	CopyIsSetAside = "copy_is_set_aside"
	CopyIsLent     = "copy_is_lent"

	// NothingChanged is no constraint of the schema: a statement that must change a
	// record has found none. See [Statement].
	NothingChanged = "nothing_changed"
)
