package sqlstore

import (
	"context"
	"database/sql"

	"github.com/pressly/goose/v3"

	"example.org/library"
)

// dialect is everything in which the two databases differ.
type dialect struct {
	name  string // also the folder of the migrations
	goose goose.Dialect

	// The ends of statements that lock the records until the end of the
	// transaction: forUpdate against everybody, forNoKeyUpdate against everybody
	// but those who refer to them, forShare against changes. Where transactions
	// are alone in the database there is nothing to lock.
	forUpdate, forNoKeyUpdate, forShare string

	// findBooks and findUsers select the seq of the records that match.
	findBooks func(a *arguments, q bookQuery) string
	findUsers func(a *arguments, terms []library.Term) string
	// bookConditions are true of a book b that matches, for reading through the
	// books in order.
	bookConditions func(a *arguments, terms, authors []library.Term) []string

	// lastChange is the position of the newest change, changesFrom are the
	// changes from $1 and $2 on, at most $3. Both see only what nothing can be
	// inserted into any more.
	lastChange, changesFrom string
	// editMark is an expression that names the edits of the catalogue that a
	// statement sees, "" if it cannot. editsAfter is for the mark at a place: the
	// condition that it does not name an edit e, and the condition that all such
	// edits are still there.
	editMark   string
	editsAfter func(place string) (isAfter, areComplete string)
	// list is a list of strings as the value of an argument, among the condition
	// that a column is in the list at a place.
	list  func([]string) any
	among func(place string) string
	// eachStock joins the stock s of each book b by itself, however many books are
	// expected.
	eachStock string
	// firstOf selects, for each k.value in the list at a place, the seq of up to n
	// books that a condition is true of, in an order.
	firstOf func(place, condition, order string, n int) string
	// numbers takes a JSON array $1 of numbers apart, as a table with the columns
	// place and value.
	numbers string
	// bookRows takes the value $1 of formatBooks apart again, as a table r.
	bookRows string
	// labelRows does so with the labels of copies.
	labelRows string
	// advisoryLock waits for the lock with number $1 and keeps it until the end of
	// the transaction. "" where transactions are alone in the database.
	advisoryLock string

	// claimKey fails with a division by zero if the lock with number $1 is taken, or
	// if there is an answer under the key $2 that is younger than $3. It keeps the
	// lock until the end of the transaction. "" where transactions are alone in the
	// database.
	claimKey string

	// hasTable asks whether there is a table named $1.
	hasTable string

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

// querier is a database or a transaction in it.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}
