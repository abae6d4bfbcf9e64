package engine

import (
	"context"
	"database/sql"
	"iter"
	"slices"

	"github.com/pressly/goose/v3"

	"example.org/library"
)

// Dialect is the SQL of one of the two databases.
type Dialect struct {
	Name  string // also the folder of the migrations
	Goose goose.Dialect

	// The ends of statements with a lock on their records until the end of the transaction: ForUpdate against
	// everybody, ForNoKeyUpdate against everybody except references to them, ForShare against changes. SkipLocked
	// leaves out locked records. All are empty where transactions run one at a time and nothing is to be locked.
	ForUpdate, ForNoKeyUpdate, ForShare, ForUpdateSkipLocked string

	Syntax

	// LastChange is the position of the newest change, ChangesFrom are the changes from $1 and $2 on, at most $3. Both
	// see only what nothing can be inserted into any more.
	LastChange, ChangesFrom string
	// Numbers takes a JSON array $1 of numbers apart, as a table with the columns place and value.
	Numbers string
	// HasTable asks whether there is a table named $1.
	HasTable string

	// PlanOptions go before the arguments of a statement if its best plan depends on them.
	PlanOptions []any

	// Diagnose classifies the error of a statement. Unavailable explains why the database cannot run statements now,
	// although nothing is wrong with this one; "" if it is another error.
	Diagnose    func(error) Diagnosis
	Unavailable func(error) string
}

// Syntax is the SQL of questions.
type Syntax interface {
	// FindBooks and FindUsers select the seq of the matching records.
	FindBooks(a *Arguments, w BookWords) string
	FindUsers(a *Arguments, terms []library.Term) string
	// FindWord selects the seq of the books with this very word.
	FindWord(a *Arguments, word string) string
	// BookConditions match a book b, for reading through the books in order.
	BookConditions(a *Arguments, terms, authors []library.Term) []string
	// List is a list of strings as the value of an argument, Among the condition
	// that a column is in the list at a place.
	List(list []string) any
	Among(place string) string
	// Each joins the matching records of a table, by a look-up for each record before it, however many are expected.
	Each(table, alias, condition string) string
	// FirstOf selects, for each k.value in the list at a place, the seq of up to n matching books, in an order.
	FirstOf(place, condition, order string, n int) string
	// Invalidate is a statement that notes the changes of a transaction for caches: the subjects of books at a place,
	// with spaces between them, or [EveryBook], or [NoBook]. A transaction runs it at most once, after all changes.
	Invalidate(place string) string
	// Rows takes a JSON array $1 of objects apart, as a table r with these columns.
	Rows(columns []RowColumn) string
	// Values returns the rows of an INSERT, and its arguments. The types are the types of the columns.
	Values(types []string, rows [][]any) (source string, args []any)
}

// RowColumn is a column of a table made of JSON objects: a member, and the type in PostgreSQL. SQLite asks the value.
type RowColumn struct{ Name, Type string }

// LocksRecords reports whether transactions run beside each other, so that records are locked.
func (d *Dialect) LocksRecords() bool { return d.ForUpdate != "" }

// PlannedFor returns the arguments of a statement with a plan for them.
func (d *Dialect) PlannedFor(a Arguments) []any { return append(slices.Clip(d.PlanOptions), a...) }

// Querier is a database or a transaction in it.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// The notes for caches of changes without a book.
const (
	EveryBook = "*"
	NoBook    = "-" // nothing that is shown with a book
)

// Inserts returns statements that add rows to a table, and their arguments: many rows at a time, or a few one by one,
// since SQLite puts the rows of one statement into a table of its own first, where there are triggers.
func (d *Dialect) Inserts(into string, types []string, rows [][]any) iter.Seq2[string, []any] {
	atOnce := 500
	if len(rows) < 4 && !d.LocksRecords() {
		atOnce = 1
	}
	return func(yield func(text string, args []any) bool) {
		for some := range slices.Chunk(rows, atOnce) {
			source, args := d.Values(types, some)
			if !yield(`INSERT INTO `+into+` `+source, args) {
				return
			}
		}
	}
}
