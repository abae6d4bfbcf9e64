package engine

import (
	"context"
	"database/sql"

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

	// FindBooks and FindUsers select the seq of the records that match.
	FindBooks func(a *Arguments, w BookWords) string
	FindUsers func(a *Arguments, terms []library.Term) string
	// BookConditions are true of a book b that matches, for reading through the
	// books in order.
	BookConditions func(a *Arguments, terms, authors []library.Term) []string

	// LastChange is the position of the newest change, ChangesFrom are the
	// changes from $1 and $2 on, at most $3. Both see only what nothing can be
	// inserted into any more.
	LastChange, ChangesFrom string
	// EditMark is an expression that names the edits of the catalogue that a
	// statement sees, "" if it cannot. EditsAfter is for the mark at a place: the
	// condition that it does not name an edit e, and the condition that all such
	// edits are still there.
	EditMark   string
	EditsAfter func(place string) (isAfter, areComplete string)
	// List is a list of strings as the value of an argument, Among the condition
	// that a column is in the list at a place.
	List  func([]string) any
	Among func(place string) string
	// EachStock joins the stock s of each book b by a look-up per book, however many
	// books are expected.
	EachStock string
	// FirstOf selects, for each k.value in the list at a place, the seq of up to n
	// books that a condition is true of, in an order.
	FirstOf func(place, condition, order string, n int) string
	// Numbers takes a JSON array $1 of numbers apart, as a table with the columns
	// place and value.
	Numbers string
	// Rows takes a JSON array $1 of objects apart, as a table r with these columns.
	Rows func(columns []RowColumn) string
	// Values is what an INSERT takes rows from, and its arguments. The types are those
	// of the columns.
	Values func(types []string, rows [][]any) (source string, args []any)

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

// RowColumn is a column of a table that is made of JSON objects: a member, and the
// type that it has in PostgreSQL. SQLite asks the value.
type RowColumn struct{ Name, Type string }

// LocksRecords reports whether transactions run beside each other, so that records
// are locked.
func (d *Dialect) LocksRecords() bool { return d.ForUpdate != "" }

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
