// Package engine is what the records of package sqlstore need from a database, and
// what the two databases share. It knows neither of them, nor the records.
//
// Start reading at [Engine], which sqlstore/sqlite and sqlstore/postgres implement.
// The SQL in which they differ is a [Dialect]. How rows are read is in reading.go, how
// statements that list records are composed in selection.go, what values look like in column.go,
// what an error of a database means in errors.go, and how one query answers several
// callers in coalesce.go.
package engine

import (
	"context"
	"database/sql"

	"example.org/library"
)

// Engine is a database.
type Engine interface {
	Dialect() *Dialect

	// Read reads outside a transaction. ReadPlanned does so by a plan that is made
	// once, for statements that take longer to plan than to run.
	Reader
	ReadPlanned(ctx context.Context, r Reading) error
	// Tx runs fn in one transaction, and again when the database asks for that, or
	// when the connection was lost before COMMIT was sent.
	Tx(ctx context.Context, fn func(Tx) error) error
	// Direct is for changes of the schema, which are no transactions of the records.
	Direct() Direct

	// Revision is the revision now: not older than the call. LocalRevision is the same
	// where it takes no statement, and reports whether that is so.
	Revision(ctx context.Context) (library.Revision, error)
	LocalRevision(ctx context.Context) (at library.Revision, ok bool, err error)

	// Ready says why the database cannot be used now. It runs a statement that fails
	// if a table is missing, and writes only if there is a reason to doubt that it can.
	Ready(ctx context.Context, tables string) error
	// TryLock takes a lock until it is released or the program dies. release is nil if
	// another program has it.
	TryLock(ctx context.Context, l library.Lock) (release func(), err error)
	// Migrate runs up, which brings the schema up to date, beside other programs that
	// do the same. pending is what up has left to do. FinishMigration comes last, when
	// the records are up to date, too.
	Migrate(ctx context.Context, up, pending func(context.Context) ([]string, error)) ([]string, error)
	FinishMigration(ctx context.Context) error
	// EventsWaitFor is the transaction that holds back events, the zero value if none does.
	EventsWaitFor(ctx context.Context) (Waiting, error)

	// MaxReads is how many should read at once. Stats counts the connections.
	MaxReads() int
	Stats() sql.DBStats
	Close() error
}

// Direct is the connections that write, without the transactions of the records.
type Direct struct {
	*sql.DB
	Reader
}

// Tx is a transaction.
type Tx interface {
	Dialect() *Dialect

	// ExecContext is for changes whose result is needed at once, and so is Read.
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	Reader
	// ReadAll runs several statements, in one round trip where that saves time.
	ReadAll(ctx context.Context, readings []Reading) error
	// Write runs a statement whose result nobody needs before the end of the
	// transaction. It may be sent later, and then fails later.
	Write(ctx context.Context, s Statement) error

	// Lock lets one transaction at a time go on from here.
	Lock(ctx context.Context, l library.Lock) error
	// ClaimKey fails with [library.ErrKeyInUse] if another transaction has the
	// idempotency key, or if there is an answer under it that is younger.
	ClaimKey(ctx context.Context, key library.Digest, after int64) error

	// JoinGroup loads what a transaction needs together with others, which are then
	// committed with it (group commit). It reports whether it did; if not, the
	// transaction loads alone, after it has the keyed lock.
	JoinGroup(ctx context.Context, l library.Load) (caller library.User, found *library.Circulation, joined bool, err error)
	// Decide leaves a decision to the group of the transaction, which saves all of it
	// but the holds. It reports false if there is no group.
	Decide(d library.Decision) (joined bool, err error)
}

// Statement is a change, and what its failure means.
type Statement struct {
	Doing    string // for errors
	Text     string
	Args     []any
	NotFound error // the statement must change one record, or this is the error; nil if it need not
	Explain  Explainer
}

// Explainer says what the database has against a statement, in the words of the domain.
// A nil error stays nil.
type Explainer func(ctx context.Context, d *Dialect, doing string, notFound, err error) error

// GroupLoader loads for several transactions that are committed as one.
type GroupLoader func(ctx context.Context, t Tx, loads []library.Load) (Group, error)

// Group is what several transactions have loaded.
type Group interface {
	// Loaded is what was loaded for the transaction with a number; false if it cannot
	// be committed together with the others.
	Loaded(i int) (library.User, *library.Circulation, bool)
	// Save writes decisions. Other statements of their transactions are sent by others,
	// after loans were closed and before loans are opened; it is nil if there are none.
	Save(ctx context.Context, t Tx, decisions []*library.Decision, others func()) error
}

// SumStats counts the connections of two pools together.
func SumStats(sum, more sql.DBStats) sql.DBStats {
	sum.MaxOpenConnections += more.MaxOpenConnections
	sum.OpenConnections += more.OpenConnections
	sum.InUse += more.InUse
	sum.Idle += more.Idle
	sum.WaitCount += more.WaitCount
	sum.WaitDuration += more.WaitDuration
	sum.MaxIdleClosed += more.MaxIdleClosed
	sum.MaxIdleTimeClosed += more.MaxIdleTimeClosed
	sum.MaxLifetimeClosed += more.MaxLifetimeClosed
	return sum
}
