package engine

import (
	"context"
	"database/sql"
	"slices"

	"github.com/pressly/goose/v3"

	"example.org/library"
)

// Dialect is the SQL in which the two databases differ.
type Dialect struct {
	Name  string // also the folder of the migrations
	Goose goose.Dialect

	// The ends of statements that lock the records until the end of the
	// transaction: ForUpdate against everybody, ForNoKeyUpdate against everybody
	// except those who refer to them, ForShare against changes. SkipLocked leaves
	// records out that others have locked. All are empty where transactions run one
	// at a time and nothing is to be locked.
	ForUpdate, ForNoKeyUpdate, ForShare, ForUpdateSkipLocked string

	Syntax

	// LastChange is the position of the newest change, ChangesFrom are the
	// changes from $1 and $2 on, at most $3. Both see only what nothing can be
	// inserted into any more.
	LastChange, ChangesFrom string
	// EditMark is an expression that names the edits of the catalogue that a
	// statement sees, "" if it cannot.
	EditMark string
	// TitleMark names the edited titles that any later statement sees, TitlesUpTo is
	// the condition that they are among those of the mark $1.
	TitleMark, TitlesUpTo string
	// Vacuum makes tables small again most rows of which were deleted; nil if there is no need.
	Vacuum func(tables ...string) string
	// Numbers takes a JSON array $1 of numbers apart, as a table with the columns
	// place and value.
	Numbers string
	// HasTable asks whether there is a table named $1.
	HasTable string

	// PlanOptions go before the arguments of a statement whose best plan
	// depends on them.
	PlanOptions []any

	// Diagnose says what the database had against a statement. Unavailable says why the
	// database cannot run statements now, although nothing is wrong with this one; ""
	// if that is not what the error says.
	Diagnose    func(error) Diagnosis
	Unavailable func(error) string
}

// Syntax is the SQL that depends on what is asked for.
type Syntax interface {
	// FindBooks and FindUsers select the seq of the records that match.
	FindBooks(a *Arguments, w BookWords) string
	FindUsers(a *Arguments, terms []library.Term) string
	// FindWord selects the seq of the books that have this very word.
	FindWord(a *Arguments, word string) string
	// BookConditions are true of a book b that matches, for reading through the
	// books in order.
	BookConditions(a *Arguments, terms, authors []library.Term) []string
	// EditsAfter is for the mark at a place: the condition that it does not name an
	// edit e, and the condition that all such edits are still there.
	EditsAfter(place string) (isAfter, areComplete string)
	// List is a list of strings as the value of an argument, Among the condition
	// that a column is in the list at a place.
	List(list []string) any
	Among(place string) string
	// Each joins the records of a table of which a condition is true, by a look-up for
	// each record before it, however many are expected.
	Each(table, alias, condition string) string
	// FirstOf selects, for each k.value in the list at a place, the seq of up to n
	// books that a condition is true of, in an order.
	FirstOf(place, condition, order string, n int) string
	// Invalidate is a statement that notes for caches what a transaction has changed:
	// the subjects of books at a place, with spaces between them, or [EveryBook], or
	// [NoBook]. A transaction runs it at most once, after all changes.
	Invalidate(place string) string
	// Rows takes a JSON array $1 of objects apart, as a table r with these columns.
	Rows(columns []RowColumn) string
	// Values is what an INSERT takes rows from, and its arguments. The types are those
	// of the columns.
	Values(types []string, rows [][]any) (source string, args []any)
}

// RowColumn is a column of a table that is made of JSON objects: a member, and the
// type that it has in PostgreSQL. SQLite asks the value.
type RowColumn struct{ Name, Type string }

// LocksRecords reports whether transactions run beside each other, so that records
// are locked.
func (d *Dialect) LocksRecords() bool { return d.ForUpdate != "" }

// PlannedFor are the arguments of a statement that is planned for them.
func (d *Dialect) PlannedFor(a Arguments) []any { return append(slices.Clip(d.PlanOptions), a...) }

// Querier is a database or a transaction in it.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// What is noted for caches of a change instead of a book.
const (
	EveryBook = "*"
	NoBook    = "-" // nothing that is shown with a book
)
